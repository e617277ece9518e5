import { Client } from 'pg';
import { cloneTemplate } from '../setup/test-app';
import { dataUrlOf } from '../setup/two-cells';
import { Child } from './child-process';

/** A mark in every part of a request that must never be logged. */
const MARK = 'SECRETMARK';
const EMPLOYE = {
  idExterne: `${MARK}-1`,
  prenom: `${MARK}-prenom`,
  nom: `${MARK}-nom`,
  courriel: `${MARK}@example.org`,
  telephonePrincipal: `${MARK}-555`,
};

let api: Child;
let database: Client;
let cle: string;
let sent = 0;

/** Sends a request with any response; a string body is sent unchanged. */
async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  sent++;
  const response = await fetch(api.url + path, {
    method,
    headers: {
      'X-Api-Key': cle,
      'Content-Type': 'application/json',
      'User-Agent': `${MARK}-agent`,
      Referer: `https://${MARK}.test/`,
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  await response.arrayBuffer().catch(() => undefined);
  return response;
}

const status = async (answer: Promise<Response>): Promise<number> => (await answer).status;

beforeAll(async () => {
  const databaseUrl = await cloneTemplate();
  database = new Client({ connectionString: dataUrlOf(databaseUrl) });
  await database.connect();
  api = await Child.start('partner-api', {
    DATABASE_URL: databaseUrl,
    // Without standbys, where the reads of a table that is renamed would fail, too.
    DATABASE_READ_URLS: '',
    CELLS_READ: '',
    LOG_LEVEL: 'trace',
    RATE_LIMIT_PER_MINUTE: '100000',
  });
  const admin = { 'X-Api-Key': api.env.ADMIN_API_KEY!, 'Content-Type': 'application/json' };
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    sent++;
    const answer = await fetch(`${api.url}/admin/v1/clients${path}`, {
      method: 'POST',
      headers: admin,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const { id } = await make('', {
    nom: `${MARK} client`,
    modules: [],
    organisation: { contactTechnique: `${MARK}@example.org` },
  });
  cle = (await make(`/${id}/cles`, { nom: `${MARK} key`, environnement: 'staging', role: 'partenaire' }))
    .cle!;
});
afterAll(async () => {
  await api.stop('SIGKILL');
  await database.end();
});

describe('the log of the API', () => {
  it('has one JSON line per request without its content, also for errors, at the level trace', async () => {
    const path = '/b2b/v1/employe';
    const key = { 'Idempotency-Key': `${MARK}-key` };
    const own = { Authorization: `Bearer ${MARK}`, Cookie: `session=${MARK}`, 'X-Forwarded-For': `${MARK}` };

    // Successful requests.
    expect(await status(send('POST', path, EMPLOYE, { ...key, ...own }))).toBe(201);
    expect(await status(send('POST', path, EMPLOYE, key))).toBe(201);
    expect(await status(send('GET', `${path}/${MARK}-1`))).toBe(200);
    expect(await status(send('PUT', path, { ...EMPLOYE, ville: MARK }))).toBe(200);
    expect(await status(send('GET', `${path}?modifieDepuis=2026-01-01`))).toBe(200);
    expect(
      await status(send('POST', `${path}/sync`, { employes: [EMPLOYE, { idExterne: MARK }, MARK] })),
    ).toBe(200);
    expect(await status(send('POST', '/api/b2b/employes/sync', { employes: [EMPLOYE] }))).toBe(200);

    // Rejected requests.
    expect(await status(send('POST', path, EMPLOYE))).toBe(409);
    expect(
      await status(send('POST', path, { ...EMPLOYE, idExterne: 'X', identifiantExterneEmployeur: MARK })),
    ).toBe(400);
    expect(await status(send('POST', path, { ...EMPLOYE, [MARK]: MARK, courriel: MARK }))).toBe(400);
    expect(await status(send('POST', path, `{"prenom":"${MARK}",`))).toBe(400);
    expect(await status(send('POST', path, `${MARK}`, { 'Content-Type': `text/${MARK}` }))).toBe(415);
    expect(
      await status(send('POST', path, { ...EMPLOYE, nom: MARK.repeat(Math.ceil(2 ** 20 / MARK.length)) })),
    ).toBe(413);
    expect(await status(send('PUT', path, EMPLOYE, { 'If-Match': `"${MARK}"` }))).toBe(412);
    expect(await status(send('POST', path, { ...EMPLOYE, idExterne: 'X' }, key))).toBe(422);
    expect(await status(send('GET', `${path}?${MARK}=${MARK}&curseur=${MARK}`))).toBe(400);
    expect(await status(send('GET', `${path}?curseur=${MARK}`))).toBe(400);
    expect(await status(send('GET', `${path}/${MARK}-0`))).toBe(404);
    expect(await status(send('DELETE', `${path}/${MARK}-0`))).toBe(404);
    expect(await status(send('GET', `/${MARK}/${MARK}`))).toBe(404);
    expect(await status(send('GET', `${path}/%E9${MARK}`))).toBe(400);
    expect(await status(send('GET', path, undefined, { 'X-Api-Key': MARK }))).toBe(401);
    expect(await status(send('GET', path, undefined, { 'X-Api-Key': `${cle.slice(0, -1)}!` }))).toBe(401);
    expect(await status(send('GET', '/admin/v1/clients'))).toBe(403);

    // Internal errors: an unexpected constraint, whose message quotes the row, and a missing table.
    await database.query(`ALTER TABLE employe ADD CONSTRAINT unforeseen CHECK (ville <> 'nowhere')`);
    const unforeseen = { ...EMPLOYE, ville: 'nowhere' };
    expect(await status(send('POST', path, { ...unforeseen, idExterne: `${MARK}-2` }))).toBe(500);
    expect(
      await status(
        send('POST', path, { ...unforeseen, idExterne: `${MARK}-2` }, { 'Idempotency-Key': `${MARK}-2` }),
      ),
    ).toBe(500);
    expect(await status(send('PUT', path, unforeseen))).toBe(500);
    expect(await status(send('POST', `${path}/sync`, { employes: [unforeseen] }))).toBe(500);
    await database.query('ALTER TABLE employe RENAME TO elsewhere');
    expect(await status(send('GET', `${path}/${MARK}-1`))).toBe(500);
    expect(await status(send('DELETE', `${path}/${MARK}-1`))).toBe(500);
    expect(await status(send('POST', `${path}/sync`, { employes: [EMPLOYE] }))).toBe(500);

    expect(await api.stop()).toBe(0);
    const everything = api.output + api.errors;
    expect(everything.match(new RegExp(`.*${MARK}.*`, 'gi')) ?? []).toEqual([]);
    const secrets = [
      cle.slice(8),
      api.env.ADMIN_API_KEY!,
      api.env.SECRETS_KEY!,
      new URL(api.env.DATABASE_URL!).password,
    ];
    expect(secrets.filter((secret) => everything.includes(secret))).toEqual([]);
    expect(api.errors).toBe('');

    const requests = api.lines().filter(({ msg }) => msg === 'request');
    expect(requests).toHaveLength(sent);
    const failures = api.lines().filter(({ msg }) => msg === 'request failed');
    expect(failures).toHaveLength(7);
    expect(failures.map(({ sqlState }) => sqlState)).toEqual([
      ...Array(4).fill('23514'),
      ...Array(3).fill('42P01'),
    ]);
    for (const line of requests) {
      expect(line).toMatchObject({
        level: 30,
        time: expect.any(Number),
        requestId: expect.any(String),
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        method: expect.any(String),
        route: expect.any(String),
        status: expect.any(Number),
        durationMs: expect.any(Number),
      });
    }
    const routes = new Set(requests.map(({ route }) => route));
    const known = ['', '/:idExterne', '/sync'].map((rest) => path + rest);
    expect([...routes].sort()).toEqual(
      ['/admin/v1/clients', '/admin/v1/clients/:clientId/cles', ...known, 'unmatched'].sort(),
    );
  });

  it('negative control: the search finds a mark in such a line', () => {
    const line = JSON.stringify({ level: 30, route: `/b2b/v1/employe/${MARK}-1` });
    expect(line.match(new RegExp(`.*${MARK}.*`, 'gi'))).toHaveLength(1);
  });
});

describe('a start that fails', () => {
  it('ends with 1, with the reason on standard error and without the password of DATABASE_URL', async () => {
    const child = await Child.spawn('partner-api', {
      DATABASE_URL: `postgres://user:${MARK}@127.0.0.1:1/nowhere`,
    });
    expect(await child.exited).toBe(1);
    expect(child.output + child.errors).not.toContain(MARK);
    expect(child.errors).toContain('ECONNREFUSED');
  });
});
