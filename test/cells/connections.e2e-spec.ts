import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { eventually, expectProblem } from '../http/expect-problem';
import { TEST_ACTOR } from '../setup/actor';
import { type Answer, cloneTemplate, TestApp, type TestTenant } from '../setup/test-app';
import { ClientsService } from '../../libs/clients/src';

let principal: string;
let nord: string;
let tenants: Record<'principal' | 'nord', TestTenant>;
let secrets: Pick<TestApp['config'], 'secretsKey' | 'adminApiKey'>;
let database: Client;

beforeAll(async () => {
  [principal, nord] = [await cloneTemplate(), await cloneTemplate()];
  database = new Client({ connectionString: principal });
  await database.connect();
  const app = await start(nord);
  const { secretsKey, adminApiKey } = app.config;
  secrets = { secretsKey, adminApiKey };
  const tenantIn = async (cellule: string): Promise<TestTenant> => {
    const clients = app.app.get(ClientsService);
    const client = await clients.create(TEST_ACTOR, { nom: cellule, modules: ['carteMembre'], cellule });
    const wanted = { nom: 'Test', environnement: 'staging', role: 'partenaire' } as const;
    const cle = await clients.issueCle(TEST_ACTOR, client.id, wanted);
    return { clientId: client.id, tenantId: cle.tenantId!, cleId: cle.id, cle: cle.cle };
  };
  tenants = { principal: await tenantIn('principal'), nord: await tenantIn('nord') };
  await app.stop();
});
afterAll(() => database.end());

/** Starts the API with a URL of the cell `nord`. */
async function start(url: string, more: Partial<TestApp['config']> = {}): Promise<TestApp> {
  const cells = new Map(Object.entries({ principal, nord: url }));
  return TestApp.start({ databaseUrl: principal, cells, ...secrets, ...more });
}

/** Runs `work` with a read of the tenant of a cell, and stops the API. */
async function withApp(
  app: TestApp,
  work: (read: (name: keyof typeof tenants) => Promise<Answer>) => Promise<void>,
): Promise<void> {
  try {
    await work((name) => app.send(tenants[name], 'GET', '/b2b/v1/employe/E-1'));
  } finally {
    await app.stop();
  }
}

/** Names of the API's connections to a database. */
async function connections(url: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = $1 AND application_name LIKE 'mandat api%' ORDER BY 1`,
    [new URL(url).pathname.slice(1)],
  );
  return rows.map(({ name }) => name);
}

const BOTH = ['mandat api', 'mandat api watch'];
const arrived = (url: string): Promise<unknown> =>
  eventually(async () => (await connections(url)).length === BOTH.length || undefined, 'the connections');

it('the API connects to a cell at its first request', async () => {
  await withApp(await start(nord), async (read) => {
    await arrived(principal);
    expect((await read('principal')).status).toBe(404);
    expect(await connections(nord)).toEqual([]);
    expect((await read('nord')).status).toBe(404);
    await arrived(nord);
  });
});

describe('503 for the tenants of a cell, and others are served:', () => {
  const other = (change: (url: URL) => void) => (): Promise<string> => {
    const url = new URL(nord);
    change(url);
    return Promise.resolve(url.href);
  };
  const login = `login_${randomUUID().slice(0, 8)}`;
  afterAll(() => database.query(`DROP ROLE IF EXISTS ${login}`));

  it.each([
    ['a database that does not exist', {}, other((url) => (url.pathname = '/nowhere'))],
    ['an unknown login', {}, other((url) => (url.username = 'nobody'))],
    [
      'in production, a login that may bypass row-level security',
      { production: true },
      async () => {
        await database.query(
          `CREATE ROLE ${login} LOGIN NOINHERIT BYPASSRLS PASSWORD 'x';
           GRANT mandat_app, mandat_access, mandat_queue, mandat_effacement TO ${login}`,
        );
        return other((url) => Object.assign(url, { username: login, password: 'x' }))();
      },
    ],
  ])('%s', async (_what, more, url) => {
    await withApp(await start(await url(), more), async (read) => {
      for (const answer of [await read('nord'), await read('nord')])
        expectProblem(answer, 503, 'Service.Indisponible');
      expect((await read('principal')).status).toBe(404);
    });
  });
});
