import { setTimeout as sleep } from 'node:timers/promises';
import { CallerQuery, FIND } from '../../libs/clients/src/persistence/caller.query';
import { expectProblem } from '../http/expect-problem';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { perFile } from '../setup/fixtures';

/** Longer than a process trusts a key that it has looked up, and shorter than a revoked key may still work. */
const AFTER_TRUST_MS = 4_500;

const TEN_MINUTES_MS = 600_000;

const app = perFile(() => TestApp.own('sees all tenants'));
/** Another process with the same database: it learns of changes through the database alone. */
const other = perFile(() => TestApp.start({ databaseUrl: app.config.databaseUrl }));

const admin = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const answer = await app.send(app.adminKey, method, `/admin/v1/clients/${path}`, body);
  expect(answer.status).toBeLessThan(300);
  return answer;
};
const ask = ({ cle }: TestTenant): Promise<Answer> => other.send(cle, 'GET', '/b2b/v1/moi');
const etat = async (): Promise<string> =>
  (await app.database.query<{ etat: string }>('SELECT etat FROM etat_annuaire')).rows[0]!.etat;
const set = (one: TestTenant, change: string): Promise<unknown> =>
  app.database.query(`UPDATE cle SET ${change} WHERE id = $1`, [one.cleId]);

afterEach(() => jest.restoreAllMocks());

describe('A key that a process knows', () => {
  it('is not looked up again while the directory is unchanged, and follows each change within 5 s', async () => {
    const [one, revoked, suspended, limited] = await Promise.all(
      Array.from({ length: 4 }, () => app.tenant()),
    );
    const all = [one!, revoked!, suspended!, limited!];
    const statuses = async (): Promise<number[]> =>
      Promise.all(all.map(async (each) => (await ask(each)).status));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const [found, looked] = [
      jest.spyOn(CallerQuery.prototype, 'find'),
      jest.spyOn(CallerQuery.prototype, 'etat'),
    ];
    await sleep(AFTER_TRUST_MS);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect([found, looked].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
    await admin('DELETE', `${revoked!.clientId}/cles/${revoked!.cleId}`);
    await admin('POST', `${suspended!.clientId}/suspendre`, { raison: 'Essai' });
    await admin('PUT', limited!.clientId, { limiteParMinute: 7 });
    await sleep(AFTER_TRUST_MS);
    // Requests at the same time share one look-up.
    expect((await Promise.all([ask(one!), ask(one!), ask(one!)])).map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
    expectProblem(await ask(revoked!), 401, 'Cle.Invalide');
    expectProblem(await ask(suspended!), 403, 'Client.Suspendu');
    expect((await ask(limited!)).headers.get('ratelimit-policy')).toBe('"default";q=7;w=60');
    expect(found).toHaveBeenCalledTimes(4);
  });

  it('is trusted for ten minutes at most if a change leaves the state as it is, so the check above can fail', async () => {
    const one = await app.tenant();
    expect((await ask(one)).status).toBe(200);
    await app.database.query(`SET session_replication_role = replica`);
    await set(one, 'revoque_le = now()');
    await app.database.query(`RESET session_replication_role`);
    await sleep(AFTER_TRUST_MS);
    expect((await ask(one)).status).toBe(200);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + TEN_MINUTES_MS);
    expectProblem(await ask(one), 401, 'Cle.Invalide');
  });

  it('is looked up again if the state cannot be read', async () => {
    const one = await app.tenant();
    expect((await ask(one)).status).toBe(200);
    await sleep(AFTER_TRUST_MS);
    jest
      .spyOn(CallerQuery.prototype, 'etat')
      .mockRejectedValueOnce(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    expect((await ask(one)).status).toBe(503);
    expect((await ask(one)).status).toBe(200);
  });
});

describe('The state of the directory', () => {
  it.each<[string, (one: TestTenant) => Promise<unknown>]>([
    [
      'a key is issued',
      ({ clientId }) =>
        admin('POST', `${clientId}/cles`, { nom: 'Paie', environnement: 'staging', role: 'partenaire' }),
    ],
    [
      'a key is replaced',
      ({ clientId, cleId }) => admin('POST', `${clientId}/cles/${cleId}/rotation`, { graceHeures: 1 }),
    ],
    ['a key is revoked', ({ clientId, cleId }) => admin('DELETE', `${clientId}/cles/${cleId}`)],
    ['a key is removed', ({ cleId }) => app.database.query('DELETE FROM cle WHERE id = $1', [cleId])],
    ['the modules of a client change', ({ clientId }) => admin('PUT', clientId, { modules: [] })],
    ['a client is renamed', ({ clientId }) => admin('PUT', clientId, { nom: `Client ${clientId}` })],
    [
      'a data space moves',
      ({ tenantId }) => app.database.query(`UPDATE tenant SET cellule = 'autre' WHERE id = $1`, [tenantId]),
    ],
  ])('changes if %s', async (_what, change) => {
    const one = await app.tenant();
    const before = await etat();
    await change(one);
    expect(await etat()).not.toBe(before);
  });

  it('stays as it is if a key is used or its expiry is announced', async () => {
    const one = await app.tenant();
    const before = await etat();
    await ask(one);
    await set(one, 'dernier_usage = now(), expiration_annoncee_le = now()');
    expect(await etat()).toBe(before);
  });

  it('changes once in a transaction, because each change of it makes a row that the next one reads', async () => {
    const one = await app.tenant();
    const before = await etat();
    await app.database.query('BEGIN; SET CONSTRAINTS annuaire IMMEDIATE');
    await set(one, 'revoque_le = now()');
    const first = await etat();
    await set(one, 'revoque_le = NULL');
    expect([first === before, await etat()]).toEqual([false, first]);
    await app.database.query('ROLLBACK');
    expect(await etat()).toBe(before);
  });

  it('changes with each column that the look-up of a key reads', async () => {
    const database = await app.connect();
    await database.query(`CREATE TEMP VIEW looked_up AS ${FIND.replace('$1', `''`)}`);
    const { rows: read } = await database.query<{ name: string }>(
      `SELECT refobjid::regclass || '.' || a.attname AS name FROM pg_rewrite r
       JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
       JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
       WHERE ev_class = 'looked_up'::regclass ORDER BY 1`,
    );
    const { rows: watched } = await database.query<{ name: string }>(
      `SELECT tgrelid::regclass || '.' || a.attname AS name FROM pg_trigger t
       JOIN pg_attribute a ON a.attrelid = tgrelid AND a.attnum = ANY (tgattr)
       WHERE tgname = 'annuaire' ORDER BY 1`,
    );
    const names = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name);
    // Identifiers never change.
    const never = ['cle.id', 'tenant.id', 'client.id', 'etat_annuaire.etat'];
    expect(names(read).filter((name) => !never.includes(name))).toEqual(names(watched));
  });
});
