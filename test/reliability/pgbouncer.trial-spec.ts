import { join } from 'node:path';
import { Client } from 'pg';
import { asService } from '../setup/service-login';
import { TestApp } from '../setup/test-app';
import { WHOLE } from './support/effort';
import { Fleet } from './support/fleet';
import { CONNECT_QUERY, findPgbouncer, Pooler } from './support/pooler';
import { report } from './support/report';
import { TenantMix } from './support/tenant-mix';

const FAULT = 'pgbouncer in transaction mode between service and database';
const TENANT_OF_SESSION = join(__dirname, 'support/tenant-of-session.cjs');
const SERVER_CONNECTIONS = 8;
const CALLERS = 32;
/** Longer than the silence after which the watch takes a network for dead. */
const BUSY_MS = 9_000;

const command = findPgbouncer();
if (!command) {
  const line =
    'pgbouncer 1.21 or later is missing in PGBOUNCER and on PATH: PGBOUNCER=$(.ci/pgbouncer) builds one';
  process.stderr.write(`${line}; its trials are skipped.\n`);
}

let app: TestApp;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => app.stop());

interface Place {
  readonly pooler: Pooler;
  readonly fleet: Fleet;
  readonly url: string;
}

/** A pooler and an API behind it. */
async function behindPooler(connectQuery: string, env: Record<string, string> = {}): Promise<Place> {
  const pooler = await Pooler.start(
    command!,
    asService(app.config.databaseUrl),
    SERVER_CONNECTIONS,
    connectQuery,
  );
  ends.push(() => pooler.stop());
  const secrets = { SECRETS_KEY: app.config.secretsKey.text() };
  const fleet = await Fleet.start(pooler.url, { apis: 1, workers: 1, env: { ...secrets, ...env } });
  ends.push(() => fleet.stop());
  return { pooler, fleet, url: await fleet.apis[0]!.url() };
}

/** Returns the connections of the pooler to the database, and of the service to the pooler. */
async function connectionsOf({ pooler }: Place): Promise<string> {
  const url = new URL(pooler.url);
  url.pathname = '/pgbouncer';
  // pgbouncer's console supports only the simple protocol.
  const client = new Client({ connectionString: url.href });
  await client.connect();
  const { rows } = await client.query<{
    cl_active: string;
    sv_active: string;
    sv_idle: string;
    sv_used: string;
  }>('SHOW POOLS');
  await client.end();
  const sum = (...names: ('cl_active' | 'sv_active' | 'sv_idle' | 'sv_used')[]): number =>
    rows
      .slice(0, 1)
      .reduce((total, row) => total + names.reduce((all, name) => all + Number(row[name]), 0), 0);
  return `${sum('cl_active')} connections of the service on ${sum('sv_active', 'sv_idle', 'sv_used')} of the database`;
}

(command ? describe : describe.skip)('A pooler in transaction mode', () => {
  it('keeps tenants apart, with the settings of docs/operations.md', async () => {
    const [tenants, requests] = WHOLE ? [100, 20_000] : [30, 2_000];
    const mix = await TenantMix.make(app, tenants, WHOLE ? 100 : 20);
    const place = await behindPooler(CONNECT_QUERY);
    const start = performance.now();
    await mix.run(place.fleet, place.url, requests, CALLERS);
    const seconds = (performance.now() - start) / 1_000;
    const { leaks, errors, counts } = mix.result;
    const misplaced = await mix.misplaced();
    const shared = await connectionsOf(place);
    report(FAULT, {
      trials: `${requests} requests of ${tenants} tenants, ${CALLERS} at once: ${JSON.stringify(counts).replace(/[{}"]/g, '')}`,
      checked: 'every row of every answer, every row and ballot in the end',
      losses: leaks + errors.length + misplaced,
      figures: `${leaks} rows of others, ${errors.length} errors, ${misplaced} rows misplaced; ${shared}; ${Math.round(requests / seconds)} requests/s`,
    });
    expect(errors.slice(0, 5)).toEqual([]);
    expect({ leaks, misplaced }).toEqual({ leaks: 0, misplaced: 0 });
    expect(Object.keys(counts).sort()).toEqual(['create', 'list', 'read', 'replace', 'sync', 'vote']);
  }, 600_000);

  it('with all connections busy for long: requests wait, and connections are not destroyed', async () => {
    const mix = await TenantMix.make(app, 3, 5);
    const place = await behindPooler(CONNECT_QUERY);
    const hogs = await Promise.all(
      Array.from({ length: SERVER_CONNECTIONS }, async () => {
        const client = new Client({ connectionString: place.pooler.url });
        await client.connect();
        return client;
      }),
    );
    const busy = Promise.all(hogs.map((client) => client.query(`SELECT pg_sleep(${BUSY_MS / 1_000})`)));
    const start = performance.now();
    await mix.run(place.fleet, place.url, 40, 10);
    const ms = performance.now() - start;
    await busy;
    await Promise.all(hogs.map((client) => client.end()));
    const { leaks, errors } = mix.result;
    report(`${FAULT}, all of its connections busy for ${BUSY_MS / 1_000} s`, {
      trials: '40 requests, 10 at once',
      checked: 'each answer',
      losses: leaks + errors.length,
      figures: `answered after ${ms.toFixed(0)} ms in all`,
    });
    expect(errors).toEqual([]);
    expect(ms).toBeGreaterThan(BUSY_MS / 2);
  }, 120_000);

  it('keeps tenants apart without a connect_query, because transactions set role and tenant', async () => {
    const requests = WHOLE ? 4_000 : 500;
    const mix = await TenantMix.make(app, 10, 5);
    const { fleet, url } = await behindPooler('SELECT 1');
    await mix.run(fleet, url, requests, CALLERS);
    const { leaks, errors } = mix.result;
    const misplaced = await mix.misplaced();
    report(`${FAULT}, without a connect_query`, {
      trials: `${requests} requests of 10 tenants, with only the role of each transaction`,
      checked: 'the same',
      losses: leaks + errors.length + misplaced,
    });
    expect(errors.slice(0, 5)).toEqual([]);
    expect({ leaks, misplaced }).toEqual({ leaks: 0, misplaced: 0 });
  }, 300_000);

  it('negative control: clients that set their tenant for the session read rows of others', async () => {
    const mix = await TenantMix.make(app, 20, 0);
    const pooler = await Pooler.start(command!, asService(app.config.databaseUrl), SERVER_CONNECTIONS);
    ends.push(() => pooler.stop());
    let [reads, leaks] = [0, 0];
    const reading = mix.marks().map(async ({ tenantId, nom }) => {
      const client = new Client({ connectionString: pooler.url });
      await client.connect();
      await client.query(`SET app.tenant_id = '${tenantId}'`);
      for (let read = 0; read < 50; read++) {
        const { rows } = await client.query<{ nom: string }>('SELECT nom FROM employe');
        reads += 1;
        leaks += rows.filter((row) => row.nom !== nom).length;
      }
      await client.end();
    });
    await Promise.all(reading);
    report(FAULT, { control: `tenant set once a session: ${leaks} rows of others in ${reads} reads` });
    expect(leaks).toBeGreaterThan(0);
  }, 120_000);

  it('negative control: the check reports a service that sets the tenant for the session', async () => {
    const requests = WHOLE ? 4_000 : 600;
    const mix = await TenantMix.make(app, 20, 0);
    const { fleet, url } = await behindPooler(CONNECT_QUERY, {
      NODE_OPTIONS: `--require=${TENANT_OF_SESSION}`,
    });
    await mix.run(fleet, url, requests, CALLERS);
    const { leaks, errors } = mix.result;
    report(`${FAULT}, a service that sets tenants for its sessions`, {
      control: `${leaks} rows of others and ${errors.length} wrong answers to ${requests} requests: each statement also names its tenant, so a wrong tenant mostly means that own rows are not found`,
    });
    expect(leaks + errors.length).toBeGreaterThan(0);
  }, 300_000);
});

(command ? describe : describe.skip)('Time limits of connections behind the pooler', () => {
  it('are set by its connect_query on each connection', async () => {
    const { pooler } = await behindPooler(CONNECT_QUERY);
    const limits = await Promise.all(
      Array.from({ length: SERVER_CONNECTIONS }, async () => {
        const client = new Client({ connectionString: pooler.url });
        await client.connect();
        // All at once, because each needs its own connection.
        const { rows } = await client.query<Record<string, string>>(
          `SELECT current_user AS role, current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
             current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('transaction_timeout') AS transaction
           FROM pg_sleep(0.3)`,
        );
        await client.end();
        return rows[0];
      }),
    );
    const expected = { role: 'mandat_app', statement: '30s', lock: '20s', idle: '1min', transaction: '110s' };
    expect(limits).toEqual(Array(SERVER_CONNECTIONS).fill(expected));
  }, 60_000);
});
