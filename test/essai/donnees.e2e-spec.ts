import { perFile } from '../setup/fixtures';
import { eventually, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { EffacementRepository } from '../../libs/essai/src/persistence/effacement.repository';
import { TachesService } from '../../libs/sync/src';
import { Rows, rowsOf } from '../contract/support/rows';
import { openSpaces, type Space, type Spaces } from '../contract/support/spaces';
import { Partner } from '../sync/support';

const DONNEES = '/b2b/v2/essai/donnees';

/** Tables whose rows stay, and the clients' own. */
const KEPT = ['cle', 'client', 'journal', 'journal_tete', 'reglage', 'tenant', 'webhook'];

jest.setTimeout(300_000);

const app = perFile(() => TestApp.own('sees all tenants'));
let rows: Rows;
let spaces: Spaces;

beforeAll(async () => {
  rows = await Rows.of(app.database);
  spaces = await openSpaces(app, rows);
});

const erase = ({ keys }: Pick<Space, 'keys'>): Promise<Answer> =>
  app.send(keys.partenaire, 'DELETE', DONNEES);

/** Tables that have rows of the data space. */
async function filled(space: Space): Promise<string[]> {
  const found = rowsOf(space, await rows.read());
  return [...found]
    .filter(([, list]) => list.length > 0)
    .map(([table]) => table)
    .sort();
}

/** All rows of other data spaces. */
async function others(): Promise<unknown> {
  const snapshot = await rows.read();
  return [spaces.other, spaces.sibling].map((space) => [...rowsOf(space, snapshot)]);
}

describe('DELETE /b2b/v2/essai/donnees', () => {
  it('403 in production, by HTTP and by SQL under the role of the processes', async () => {
    const before = await others();
    expectProblem(await erase(spaces.sibling), 403, 'Essai.EnvironnementRequis');
    const sql = async (tenantId: string): Promise<unknown> => {
      await app.database.query('BEGIN');
      await app.database.query('SET LOCAL ROLE mandat_app');
      await app.database.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
      return app.database
        .query('SELECT essai_effacer(10) AS rows')
        .then(
          (result) => result.rows[0] as unknown,
          (error: { code: string }) => error.code,
        )
        .finally(() => app.database.query('ROLLBACK'));
    };
    expect(await sql(spaces.sibling.tenantId)).toBe('42501');
    expect(await sql('')).toBe('42501');
    // Control: it removes rows in staging.
    expect(await sql(spaces.own.tenantId)).toEqual({ rows: expect.any(Number) });
    expect(await others()).toEqual(before);
  });

  it('goes on where an interrupted one was, and leaves nothing in any table of the data space', async () => {
    const before = await filled(spaces.own);
    // Control: the data space has rows in every table.
    expect(before).toEqual(expect.arrayContaining([...rows.tenantTables]));
    const untouched = await others();
    const steps = jest.spyOn(app.app.get(EffacementRepository), 'step');
    const original = EffacementRepository.prototype.step;
    steps.mockImplementation(function (this: unknown) {
      if (steps.mock.calls.length > 5) throw new Error('The process died.');
      return original.call(app.app.get(EffacementRepository), 3);
    });
    expectProblem(await erase(spaces.own), 500, 'Service.ErreurInterne');
    steps.mockRestore();
    const half = await filled(spaces.own);
    expect(half.length).toBeGreaterThan(KEPT.length);
    expect((await erase(spaces.own)).status).toBe(204);
    expect(await filled(spaces.own)).toEqual(KEPT);
    expect(await others()).toEqual(untouched);
  });

  it('keys, settings and endpoints stay, and the data space can be filled again', async () => {
    const partner = await Partner.start(app);
    const receiver = { url: 'https://example.org/hook', types: ['sync.terminee'], actif: true };
    const { json: webhook } = await partner.send('POST', '/b2b/v2/webhook', receiver);
    const electorat = { graine: 'a', employes: 300, employeurs: 5, defauts: 12 };
    const first = (await partner.send('POST', '/b2b/v2/essai/electorat', electorat)).json;
    const again = { 'Idempotency-Key': 'job-1' };
    await partner.send('POST', '/b2b/v2/essai/electorat', electorat, again);
    expect((await partner.send('DELETE', DONNEES)).status).toBe(204);
    expect(await partner.get('/b2b/v1/employe')).toEqual([]);
    expect((await partner.get(`/b2b/v2/webhook/${webhook.id}`)).url).toBe(receiver.url);
    // The recorded answer is gone, too: the same key makes the data again.
    const { json, headers } = await partner.send('POST', '/b2b/v2/essai/electorat', electorat, again);
    expect(headers.get('idempotent-replayed')).toBeNull();
    expect(json).toEqual(first);
    const trail = await app.database.query<{ action: string }>(
      `SELECT action FROM journal WHERE tenant_id = $1 AND action = 'essai.effacer'`,
      [partner.tenant.tenantId],
    );
    expect(trail.rows).toHaveLength(1);
  });

  it('puts the clock back, unless a task advances it', async () => {
    const partner = await Partner.start(app);
    const horloge = '/b2b/v2/essai/horloge';
    const ahead = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    await partner.send('PUT', horloge, { maintenant: ahead(30) });
    expect((await partner.send('GET', '/b2b/v1/moi')).headers.has('mandat-horloge')).toBe(true);
    await partner.send('POST', `${horloge}/avancer`, { jusqua: ahead(40) });
    expectProblem(await partner.send('DELETE', DONNEES), 409, 'Essai.AvanceEnCours');
    await app.app.get(TachesService).performAllDue();
    expect((await partner.send('DELETE', DONNEES)).status).toBe(204);
    expect((await partner.send('GET', '/b2b/v1/moi')).headers.has('mandat-horloge')).toBe(false);
  });

  it('waits for a sync that runs, and removes what it writes', async () => {
    const partner = await Partner.start(app);
    const electorat = { graine: 'a', employes: 3_000, employeurs: 5 };
    const syncing = partner.send('POST', '/b2b/v2/essai/electorat', electorat);
    await eventually(async () => {
      const { rows: locks } = await app.database.query(
        // Other databases of the server have locks, too.
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock'
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return locks.length > 0 ? true : undefined;
    }, 'The sync');
    const erasing = partner.send('DELETE', DONNEES);
    expect((await syncing).status).toBe(200);
    expect((await erasing).status).toBe(204);
    expect(await partner.get('/b2b/v1/employe')).toEqual([]);
  });

  it('20 at once all end, and each row is removed once', async () => {
    const partner = await Partner.start(app);
    await partner.send('POST', '/b2b/v2/essai/electorat', { graine: 'a', employes: 100, employeurs: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => partner.send('DELETE', DONNEES)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await partner.get('/b2b/v1/employe')).toEqual([]);
  });

  it('5,000 employees are gone in seconds', async () => {
    const partner = await Partner.start(app);
    await partner.send('POST', '/b2b/v2/essai/electorat', { graine: 'a', employes: 5_000, employeurs: 20 });
    const began = performance.now();
    expect((await partner.send('DELETE', DONNEES)).status).toBe(204);
    process.stderr.write(`erased in ${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});
