import { Controller, Get, Param } from '@nestjs/common';
import { Requires } from '../../libs/access/src/requires.decorator';
import { Input } from '../../libs/platform/src/input/field.decorator';
import { ADMINISTRATION } from '../../libs/platform/src/database/scope';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { Query } from '../../libs/platform/src/input/request-parts.decorator';
import { identifier } from '../../libs/platform/src/input/field';
import { depth, IS_WHOLE } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { startWithControllers } from './support/extended-app';
import { CALLS } from './support/registry';
import { guardedRoutes } from './support/router';
import { comparesTenant, Unconditioned } from './support/unconditioned';
import { Statements } from './support/statements';
import { samplersOf, Walk } from './support/walk';
import { perFile } from '../setup/fixtures';

class FilterQuery {
  @Input(identifier({ description: 'Identifier that the filter compares with.' }))
  idExterneSyndicat?: string;
}

/** Routes without samples, as a developer could add them. */
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

/**
 * Whether the second server has the data spaces. Its schema and the statements are those of one server, where the default run
 * sends every request: here the walks look for requests that reach the wrong server.
 */
const HAS_CELLS = process.env.TEST_CELLS === '2';
const EVERY = HAS_CELLS ? depth(3, 1) : 1;

// Each walk sends some hundred requests and reads every table after each of them.
jest.setTimeout(600_000);

describe('Isolation of tenants: every route, with identifiers of another client and of the other environment', () => {
  const app = perFile(() => TestApp.own('sees all tenants'));
  /** Each walk restores the rows that its requests have written. */
  let walk: Walk;
  const unconditioned = new Unconditioned();
  const statements = new Statements(app);

  beforeAll(async () => {
    walk = await Walk.prepare(app);
  });

  it('a new route that takes an identifier and has no samples is an error, which says where to add them', async () => {
    const extended = await startWithControllers(app, NouveauController);
    const samplers = samplersOf(extended);
    await expect(samplers).rejects.toThrow('GET /b2b/v2/nouveau/:idExterne, GET /b2b/v2/nouveau.');
    await expect(samplers).rejects.toThrow('Add to calls.ts of its context under test/ a request');
    await extended.stop();
  });

  it('a foreign identifier gets the response of an unknown one, and shows and changes no foreign row', async () => {
    const faults = await statements.faultsDuring(async () => {
      expect(await walk.run({ every: depth(3, 1) })).toEqual([]);
    });
    // In each route, because a data space may be on another server than its client and keys.
    expect(faults).toEqual([]);
  });

  it.each([
    'SELECT FROM tenant t JOIN employe e ON e.tenant_id = t.id',
    // With one server it is on the right one.
    ...(HAS_CELLS ? ['SELECT FROM employe'] : []),
  ])('control: among the statements of administration %s is a fault', async (text) => {
    const transactions = app.app.get(Transactions);
    const send = (): Promise<unknown> => transactions.query(ADMINISTRATION, { text, values: [] });
    expect(await statements.faultsDuring(() => send().catch(() => undefined))).toEqual([text]);
  });

  it('row-level security alone isolates tenants, with all conditions on tenant_id removed from the statements', async () => {
    expect(await unconditioned.during(() => walk.run({ every: EVERY }))).toEqual([]);

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

    it('the conditions of the statements alone isolate tenants', async () => {
      expect(await walk.run({ every: EVERY })).toEqual([]);
    });

    it('without the conditions too, every route leaks: the walk finds the leaks that it looks for', async () => {
      const until = IS_WHOLE ? 'the end' : 'a breach';
      const breaches = await unconditioned.during(() => walk.run({ until }));
      const leaking = new Set(breaches.map(({ route }) => route));
      const expected = guardedRoutes(app.app)
        .filter(({ requirement, name }) => requirement.role !== 'admin' && !CALLS.get(name)?.readsNoTable)
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
