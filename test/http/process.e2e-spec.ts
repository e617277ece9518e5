import { Client } from 'pg';
import { cloneTemplate } from '../setup/test-app';
import { cellVariables, dataUrlOf } from '../setup/two-cells';
import { Child } from './child-process';
import { eventually } from './expect-problem';
import { Wire } from './wire';
import { lockWaits } from '../setup/lock-waits';

const EMPLOYE = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };

let database: Client;
/** Holds locks. Another connection checks the effect, because a transaction keeps its view of other connections. */
let saboteur: Client;
/** To the directory and, with two servers, to the data spaces. */
let wires: Wire[];
let api: Child;
let cle: string;

beforeAll(async () => {
  const databaseUrl = await cloneTemplate();
  const dataUrl = dataUrlOf(databaseUrl);
  database = new Client({ connectionString: dataUrl });
  saboteur = new Client({ connectionString: dataUrl });
  await Promise.all([database.connect(), saboteur.connect()]);
  const laid = await Promise.all([...new Set([databaseUrl, dataUrl])].map((url) => Wire.lay(url)));
  wires = laid.map(({ wire }) => wire);
  const [url, wiredDataUrl] = [laid[0]!.url, laid.at(-1)!.url];
  const admin = await Child.spawn('cli', { DATABASE_URL: databaseUrl }, ['cle-admin']);
  await admin.exited;
  const environment = {
    DATABASE_URL: url,
    ...cellVariables({ DATABASE_URL: url }, wiredDataUrl),
    LOG_LEVEL: 'info',
    SHUTDOWN_DELAY_MS: '600',
    DATABASE_POOL_SIZE: '4',
  };
  api = await Child.start('partner-api', environment);
  const post = async (path: string, body: object) => {
    const headers = { 'X-Api-Key': admin.output.trim(), 'Content-Type': 'application/json' };
    const answer = await fetch(`${api.url}/admin/v1/clients${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string; cle: string };
  };
  const { id } = await post('', { nom: 'Client', modules: [] });
  cle = (await post(`/${id}/cles`, { nom: 'Clé', environnement: 'staging', role: 'partenaire' })).cle;
  expect((await send('POST', '/b2b/v1/employe', EMPLOYE)).status).toBe(201);
});
afterAll(async () => {
  await api.stop('SIGKILL');
  await onWires((wire) => wire.cut());
  await saboteur.end();
  await database.end();
});

async function send(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; headers: Headers; code?: string; detail?: string }> {
  const response = await fetch(api.url + path, {
    method,
    headers: { 'X-Api-Key': cle, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const { code, detail } = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  return { status: response.status, headers: response.headers, ...(code ? { code, detail } : {}) };
}

const onWires = (act: (wire: Wire) => unknown): Promise<unknown> => Promise.all(wires.map(act));

const probe = async (name: string): Promise<number> => (await send('GET', `/health/${name}`)).status;
/** Level of pino. */
const INFO = 30;

/** Number of logged failures of requests. */
const failures = (): number => api.output.split('"msg":"request failed"').length - 1;
const probes = () => Promise.all(['live', 'ready', 'startup'].map(probe));

describe('the process of the API', () => {
  it('is live, ready and started while the database responds', async () => {
    expect(await probes()).toEqual([200, 200, 200]);
    for (const name of ['live', 'ready', 'startup']) {
      const answer = await fetch(`${api.url}/health/${name}`);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await answer.text()).toBe('{"statut":"ok"}');
    }
  });

  it('without its database it is live and not ready, responds 503 Service.Indisponible, and recovers by itself', async () => {
    await onWires((wire) => wire.cut());
    expect(await probes()).toEqual([200, 503, 503]);
    for (const name of ['ready', 'startup']) {
      const answer = await send('GET', `/health/${name}`);
      expect(answer).toMatchObject({
        code: 'Service.Indisponible',
        detail: 'The database does not answer.',
      });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    for (const answer of await Promise.all([
      send('GET', '/b2b/v1/employe/E-1'),
      send('PUT', '/b2b/v1/employe', { ...EMPLOYE, prenom: 'Ève' }),
      send('POST', '/b2b/v1/employe/sync', { employes: [EMPLOYE] }),
    ])) {
      expect(answer).toMatchObject({ status: 503, code: 'Service.Indisponible' });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    await onWires((wire) => wire.mend());
    expect(await probe('ready')).toBe(200);
    expect((await send('GET', '/b2b/v1/employe/E-1')).status).toBe(200);
  });

  it('if the database does not respond, it is not ready within two seconds', async () => {
    await onWires((wire) => wire.clog(true));
    const start = performance.now();
    const before = failures();
    expect(await probe('ready')).toBe(503);
    await eventually(() => failures() > before || undefined, 'The line of the failed probe');
    expect(performance.now() - start).toBeLessThan(2_500);
    expect(await probe('live')).toBe(200);
    await onWires((wire) => wire.clog(false));
    await eventually(async () => ((await probe('ready')) === 200 ? true : undefined), 'Readiness');
  });

  it('survives the loss of busy connections, reads and writes, and responds 503', async () => {
    await saboteur.query('BEGIN');
    await saboteur.query('LOCK TABLE employe IN ACCESS EXCLUSIVE MODE');
    const running = [
      send('GET', '/b2b/v1/employe/E-1'),
      send('GET', '/b2b/v1/employe'),
      send('PUT', '/b2b/v1/employe', { ...EMPLOYE, prenom: 'Ève' }),
    ];
    const waiting = await lockWaits(database, 3);
    await database.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [waiting]);
    const answers = await Promise.allSettled(running);
    await saboteur.query('ROLLBACK');
    const outcomes = answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value.status : String(answer.reason),
    );
    expect({ isRunning: api.isRunning, errors: api.errors, outcomes }).toEqual({
      isRunning: true,
      errors: '',
      outcomes: [503, 503, 503],
    });
    expect((await send('GET', '/b2b/v1/employe/E-1')).status).toBe(200);
  });

  it('the response says that a change may have been made if its confirmation was lost', async () => {
    await onWires((wire) => (wire.losesCommits = true));
    const answer = await send('POST', '/b2b/v1/employe', { ...EMPLOYE, idExterne: 'E-LOST' });
    await onWires((wire) => (wire.losesCommits = false));
    expect(answer).toMatchObject({ status: 503, code: 'Service.Indisponible' });
    expect(answer.detail).toMatch(/may have been made/);
    expect((await send('DELETE', '/b2b/v1/employe/E-LOST')).status).toBe(204);
  });

  it('on SIGTERM it finishes running requests, is not ready, and ends with 0 within seconds', async () => {
    if (!api.isRunning) throw new Error(`The process has ended before: ${api.errors}`);
    const before = api.lines().length;
    await saboteur.query('BEGIN');
    await saboteur.query('LOCK TABLE employe IN ACCESS EXCLUSIVE MODE');
    const running = send('PUT', '/b2b/v1/employe', { ...EMPLOYE, prenom: 'Léa' });
    await lockWaits(database);
    const begun = performance.now();
    api.process.kill('SIGTERM');
    await eventually(() => api.output.includes('"msg":"stopping"') || undefined, 'The stop');
    // Load balancers have not reacted yet: requests are still processed, each on its last connection.
    const moi = await send('GET', '/b2b/v1/moi');
    expect([moi.status, moi.headers.get('connection')]).toEqual([200, 'close']);
    expect([await probe('live'), await probe('startup')]).toEqual([200, 200]);
    const ready = await send('GET', '/health/ready');
    expect(ready).toMatchObject({
      status: 503,
      code: 'Service.Indisponible',
      detail: 'The process is stopping.',
    });
    expect(ready.headers.get('retry-after')).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 800));
    await expect(send('GET', '/b2b/v1/moi')).rejects.toThrow('fetch failed');
    expect(api.isRunning).toBe(true);
    await saboteur.query('COMMIT');
    expect((await running).status).toBe(200);
    expect(await api.exited).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(api.errors).toBe('');
    const loud = api
      .lines()
      .slice(before)
      .filter(({ level }) => (level as number) > INFO);
    expect(loud).toEqual([]);
    const { rows } = await database.query('SELECT prenom FROM employe');
    expect(rows).toEqual([{ prenom: 'Léa' }]);
  });
});
