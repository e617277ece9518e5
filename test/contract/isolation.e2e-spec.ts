import { Controller, Get, Param } from '@nestjs/common';
import { Requires } from '../../libs/shared/src/access/requires.decorator';
import { Input } from '../../libs/shared/src/http/field.decorator';
import { Query } from '../../libs/shared/src/http/request-parts.decorator';
import { identifier } from '../../libs/shared/src/records/field';
import { depth, IS_WHOLE } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { startWithControllers } from './support/extended-app';
import { guardedRoutes } from './support/router';
import { comparesTenant, Unconditioned } from './support/unconditioned';
import { samplersOf, Walk } from './support/walk';

/** Reads only what the key itself says, or what is the same for all. */
const TOUCHES_NO_TABLE = ['GET /b2b/v1/moi', 'GET /b2b/v2/type-evenement'];

class FilterQuery {
  @Input(identifier({ description: 'Identifier that the filter compares with.' }))
  idExterneSyndicat?: string;
}

/** Routes as somebody will add them tomorrow. */
@Requires({ role: 'partenaire' })
@Controller('b2b/v2/nouveau')
class NouveauController {
  @Get(':idExterne')
  get(@Param('idExterne') idExterne: string): string {
    return JSON.stringify(idExterne);
  }

  @Get()
  list(@Query() query: FilterQuery): string {
    return JSON.stringify(query);
  }
}

// Each walk sends some hundred requests and reads every table after each of them.
jest.setTimeout(600_000);

describe('Data spaces: every route, with the identifiers of another client and of the own other environment', () => {
  let app: TestApp;
  /** Each walk puts back what its requests have written. */
  let walk: Walk;
  const unconditioned = new Unconditioned();

  beforeAll(async () => {
    app = await TestApp.start();
    walk = await Walk.prepare(app);
  });
  afterAll(() => app.stop());

  it('demands requests for a new route that takes an identifier, and says where to write them', async () => {
    const extended = await startWithControllers(app, NouveauController);
    const samplers = samplersOf(extended);
    await expect(samplers).rejects.toThrow('GET /b2b/v2/nouveau/:idExterne, GET /b2b/v2/nouveau.');
    await expect(samplers).rejects.toThrow('Add to SAMPLES in test/contract/support/samples.ts');
    await extended.stop();
  });

  it('answers as for an identifier that does not exist, shows no foreign value and changes no foreign row', async () => {
    expect(await walk.run({ every: depth(3, 1) })).toEqual([]);
  });

  it('holds by row-level security alone, with every condition on tenant_id taken out of the statements', async () => {
    expect(await unconditioned.during(() => walk.run())).toEqual([]);

    const table = new RegExp(`(?<!\\w)"?(?:${walk.rows.tenantTables.join('|')})"?(?!\\w)`);
    const onTenantTables = unconditioned.sent.filter(({ text }) => table.test(text));
    // An insert has no condition: it names its tenant as a value, and row-level security checks that value. A stage
    // holds what one request has sent. A lock of a table reads and writes nothing of it.
    const spared = onTenantTables.filter(
      ({ text, removed }) =>
        removed === 0 &&
        !/^\s*(?:(?:WITH added AS \(\s+)?INSERT INTO|CREATE TEMPORARY TABLE|DO \$\$ BEGIN\s+IF \(SELECT reltuples)/.test(
          text,
        ),
    );
    expect(spared).toEqual([]);
    const left = onTenantTables.filter(({ rewritten }) => comparesTenant(rewritten));
    expect(left).toEqual([]);
    // Both pools and each way of writing a statement went through the rewriting.
    for (const form of [
      /FROM "employe" "Employe"/,
      /^UPDATE "employe"/,
      /^DELETE FROM "employe"/,
      /MERGE INTO/,
      /row_to_json/,
      /JOIN employeur e\s+ON e\.tenant_id = l\.tenant_id/,
    ]) {
      expect(onTenantTables.filter(({ text, removed }) => form.test(text) && removed > 0)).not.toEqual([]);
    }
  });

  describe('without row-level security', () => {
    beforeAll(() => walk.rows.disableSecurity());

    it('holds by the conditions of the statements alone', async () => {
      expect(await walk.run()).toEqual([]);
    });

    it('leaks on every route once the conditions are out too: the walk sees what it looks for', async () => {
      const until = IS_WHOLE ? 'the end' : 'a breach';
      const breaches = await unconditioned.during(() => walk.run({ until }));
      const leaking = new Set(breaches.map(({ route }) => route));
      const expected = guardedRoutes(app.app)
        .filter(({ requirement, name }) => requirement.role !== 'admin' && !TOUCHES_NO_TABLE.includes(name))
        .map(({ name }) => name);
      expect(expected.filter((name) => !leaking.has(name))).toEqual([]);
      expect([...new Set(breaches.map(({ kind }) => kind))]).toEqual(
        expect.arrayContaining(['shows', 'changes', 'differs']),
      );
      // A signature, which the table keeps as bytes, is known again in the form in which an answer shows it.
      const images = breaches.filter(({ kind, detail }) => kind === 'shows' && /: iVBORw0KGgo/.test(detail));
      expect(images).not.toEqual([]);
    });
  });
});
