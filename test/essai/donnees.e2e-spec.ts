import { perFile } from '../setup/fixtures';
import { eventually, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { lockWaits } from '../setup/lock-waits';
import { Child } from '../http/child-process';
import { TachesService } from '../../libs/sync/src';
import { Rows, rowsOf } from '../contract/support/rows';
import { openSpaces, type Space, type Spaces } from '../contract/support/spaces';
import { Partner } from '../sync/support';

const DONNEES = '/b2b/v2/essai/donnees';

/** Tables whose rows stay, and the clients' own. */
const KEPT = ['certification', 'cle', 'client', 'journal', 'journal_tete', 'reglage', 'tenant', 'webhook'];

/** Lists of several tables. */
const READS = [
  '/b2b/v1/employe',
  '/b2b/v2/employe',
  '/b2b/v2/emploi',
  '/b2b/v1/campagnes',
  '/b2b/v2/adhesion',
  '/b2b/v2/seance',
];

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

/**
 * Starts an erasure and does `work` while it has removed all but the changes of the feed, which it removes last.
 *
 * @returns the status of the erasure; undefined without an answer
 */
async function during(
  { tenantId }: Pick<Space, 'tenantId'>,
  erasure: () => Promise<{ status: number }>,
  work: () => Promise<unknown>,
): Promise<number | undefined> {
  const rival = await app.connect();
  await rival.query('BEGIN');
  await rival.query('SELECT FROM changement WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
  const ended = erasure().then(
    ({ status }) => status,
    () => undefined,
  );
  try {
    await lockWaits(app.database);
    await work();
  } finally {
    await rival.end();
  }
  return ended;
}

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
        .query('SELECT essai_effacer()')
        .then(
          async () =>
            (await app.database.query('SELECT count(*)::int AS employees FROM employe')).rows[0] as unknown,
          (error: { code: string }) => error.code,
        )
        .finally(() => app.database.query('ROLLBACK'));
    };
    expect(await sql(spaces.sibling.tenantId)).toBe('42501');
    expect(await sql('')).toBe('42501');
    // Control: it removes rows in staging.
    expect(await sql(spaces.own.tenantId)).toEqual({ employees: 0 });
    expect(await others()).toEqual(before);
  });

  it('others see all data until the end, a killed process has removed nothing, and a repetition removes all', async () => {
    const { own } = spaces;
    const counts = async () =>
      [...rowsOf(own, await rows.read())].map(([table, list]) => [table, list.length]).sort();
    const seen = async () => {
      const answers = await Promise.all(READS.map((path) => app.send(own.keys.partenaire, 'GET', path)));
      expect(answers.filter(({ status, json }) => status !== 200 || json.length === 0)).toEqual([]);
      return answers.map(({ json }) => json);
    };
    const before = await counts();
    // Control: the data space has rows in every table.
    expect(await filled(own)).toEqual(expect.arrayContaining([...rows.tenantTables]));
    const [untouched, shown] = [await others(), await seen()];
    const env = { DATABASE_URL: app.config.databaseUrl, RATE_LIMIT_PER_MINUTE: '100000' };
    const api = await Child.start('partner-api', env);
    const headers = { 'X-Api-Key': own.keys.partenaire };
    const erasure = () => fetch(`${api.url}${DONNEES}`, { method: 'DELETE', headers });
    const status = await during(own, erasure, async () => {
      expect(await seen()).toEqual(shown);
      expect(await api.stop('SIGKILL')).toBe('SIGKILL');
    });
    expect(status).toBeUndefined();
    // The repetition waits until PostgreSQL has ended the connection of the killed process.
    await eventually(async () => {
      const { rows: running } = await app.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%essai_effacer()%' AND pid <> pg_backend_pid()`,
      );
      return running.length === 0 || undefined;
    }, 'The end of its connection');
    expect(await counts()).toEqual(before);
    expect((await erase(own)).status).toBe(204);
    expect(await filled(own)).toEqual(KEPT);
    expect(await others()).toEqual(untouched);
  });

  it('writes of others wait for its end, and then find nothing', async () => {
    const partner = await Partner.start(app);
    const employe = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    await partner.send('POST', '/b2b/v1/employe', employe);
    const dates = { ouvertureDuVoteUtc: '2100-01-01T00:00:00Z', fermetureDuVoteUtc: '2100-01-02T00:00:00Z' };
    const { json: id } = await partner.send('POST', '/b2b/v1/campagnes', { titre: 'A', ...dates });
    let writing: Promise<Answer[]> | undefined;
    const status = await during(
      partner.tenant,
      () => partner.send('DELETE', DONNEES),
      () => {
        writing = Promise.all([
          partner.send('PUT', '/b2b/v1/employe', employe),
          partner.send('POST', `/b2b/v1/campagnes/${id}/questions`, { Titre: 'Q', Type: 'Proposition' }),
          partner.send('POST', '/b2b/v1/employe', employe),
        ]);
        return lockWaits(app.database, 4);
      },
    );
    expect(status).toBe(204);
    const answers = (await writing!).map(({ status, json }) => [status, json?.code]);
    expect(answers).toEqual([
      [404, 'Employe.NotFound'],
      [404, 'Campagne.NotFound'],
      [201, undefined],
    ]);
    const left = (await partner.get('/b2b/v1/employe')) as { idExterne: string }[];
    expect(left.map(({ idExterne }) => idExterne)).toEqual(['E-1']);
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
