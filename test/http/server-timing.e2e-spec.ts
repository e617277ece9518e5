import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { perFile } from '../setup/fixtures';
import { lockWaits } from '../setup/lock-waits';
import { TestApp, type TestTenant } from '../setup/test-app';
import { Wire } from '../malformed/wire';

const SYNC = '/b2b/v1/employe/sync';
const HELD_MS = 300;

// Without standbys: the tests hold statements of the primary.
const app = perFile(() => TestApp.start({ standbys: new Map() }));
let tenant: TestTenant;
let wire: Wire;

beforeAll(async () => {
  tenant = await app.tenant();
  wire = new Wire(app.url);
  const employes = Array.from({ length: 5_001 }, (_, n) => ({
    idExterne: `E-${n}`,
    prenom: 'Zoé',
    nom: 'Roy',
  }));
  expect((await app.send(tenant, 'POST', SYNC, { employes })).status).toBe(200);
});
afterAll(() => wire.close());

/** Reads the header. @throws Error if it has anything but the three times */
function timesOf(header: string | null | undefined): Record<'auth' | 'db' | 'total', number> {
  const ms = String.raw`(\d+(?:\.\d)?)`;
  const found = new RegExp(`^auth;dur=${ms}, db;dur=${ms}, total;dur=${ms}$`).exec(header ?? '');
  if (!found) throw new Error(`Server-Timing is ${header}`);
  return { auth: Number(found[1]), db: Number(found[2]), total: Number(found[3]) };
}

/** Answers a request while a table is locked for `HELD_MS`. */
async function held<T>(url: string, table: string, request: () => Promise<T>): Promise<T> {
  const saboteur = new Client({ connectionString: url });
  await saboteur.connect();
  try {
    await saboteur.query(`BEGIN; LOCK TABLE ${table}`);
    const answer = request();
    await lockWaits(saboteur);
    await sleep(HELD_MS);
    await saboteur.query('COMMIT');
    return await answer;
  } finally {
    await saboteur.end();
  }
}

const read = async (caller: TestTenant, path = '/b2b/v1/employe/E-1') =>
  timesOf((await app.send(caller, 'GET', path)).headers.get('server-timing'));

describe('Server-Timing', () => {
  it.each<[string, number, string, string, ...[body?: unknown, headers?: Record<string, string>]]>([
    ['a read', 200, 'GET', '/b2b/v1/employe/E-1'],
    ['HEAD', 200, 'HEAD', '/b2b/v1/employe/E-1'],
    ['a list that is sent in parts', 200, 'GET', '/b2b/v1/employe'],
    ['a compressed list', 200, 'GET', '/b2b/v1/employe', undefined, { 'Accept-Encoding': 'zstd' }],
    ['CSV', 200, 'GET', '/b2b/v1/employe', undefined, { Accept: 'text/csv' }],
    ['a creation', 201, 'POST', '/b2b/v1/employe', { idExterne: 'NEW', prenom: 'Zoé', nom: 'Roy' }],
    ['a dry sync', 200, 'POST', `${SYNC}?simulation=true`, { employes: [] }],
    ['an invalid body', 400, 'POST', '/b2b/v1/employe', '{'],
    ['an unknown record', 404, 'GET', '/b2b/v1/employe/NONE'],
    ['an unknown path', 404, 'GET', '/b2b/v9'],
    ['a method that is not permitted', 405, 'DELETE', '/b2b/v1/moi'],
    ['OPTIONS', 204, 'OPTIONS', '/b2b/v1/moi'],
    ['a role that is not permitted', 403, 'GET', '/admin/v1/clients'],
    ['a probe', 200, 'GET', '/health/ready'],
    ['a page of the documentation', 200, 'GET', '/docs/erreurs'],
  ])('%s has the three times', async (_what, status, method, path, ...rest) => {
    const answer = await app.send(tenant, method, path, ...rest);
    expect(answer.status).toBe(status);
    const { auth, db, total } = timesOf(answer.headers.get('server-timing'));
    expect(total).toBeGreaterThanOrEqual(Math.max(auth, db));
  });

  it('304 has them', async () => {
    const tag = (await app.send(tenant, 'GET', '/b2b/v1/employe?limite=1')).headers.get('etag')!;
    const headers = { 'If-None-Match': tag };
    const answer = await app.send(tenant, 'GET', '/b2b/v1/employe?limite=1', undefined, headers);
    expect(answer.status).toBe(304);
    timesOf(answer.headers.get('server-timing'));
  });

  it('401 has them, and bytes that are not HTTP', async () => {
    const refused = await app.send(undefined, 'GET', '/b2b/v1/moi');
    expect(refused.status).toBe(401);
    timesOf(refused.headers.get('server-timing'));
    const unreadable = await wire.raw('NO HTTP\r\n\r\n');
    expect(unreadable.status).toBe(400);
    timesOf(unreadable.headers['server-timing'] as string);
  });

  it.each([
    ['a read by an index', '/b2b/v1/employe/E-1'],
    ['a list', '/b2b/v1/employe?limite=10'],
  ])('db has the wait of %s for a lock; a request beside it does not', async (_what, path) => {
    await read(tenant);
    let beside: Awaited<ReturnType<typeof read>> | undefined;
    const waited = await held(app.dataUrl, 'employe', async () => {
      const answer = read(tenant, path);
      await sleep(50);
      beside = await read(tenant, '/b2b/v1/moi');
      return answer;
    });
    expect(waited.db).toBeGreaterThanOrEqual(HELD_MS);
    expect(waited.auth).toBeLessThan(HELD_MS / 2);
    expect(beside!.total).toBeLessThan(HELD_MS);
  });

  it('db has the wait of a write for a lock', async () => {
    const body = { idExterne: 'LOCKED', prenom: 'Zoé', nom: 'Roy' };
    const answer = await held(app.dataUrl, 'employe', () =>
      app.send(tenant, 'POST', '/b2b/v1/employe', body),
    );
    expect(answer.status).toBe(201);
    expect(timesOf(answer.headers.get('server-timing')).db).toBeGreaterThanOrEqual(HELD_MS);
  });

  it('auth has the look-up of a key', async () => {
    const fresh = await app.tenant();
    const times = await held(app.config.databaseUrl, 'cle', () => read(fresh, '/b2b/v1/moi'));
    expect(Math.min(times.auth, times.db)).toBeGreaterThanOrEqual(HELD_MS);
    expect((await read(fresh, '/b2b/v1/moi')).auth).toBeLessThan(HELD_MS);
  });
});
