import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Client } from 'pg';
import { JsonItems } from '../../libs/platform/src/database/json-items';
import { BUDGETS } from '../../libs/platform/src/limits/budgets';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { ClientsService } from '../../libs/clients/src';
import { TEST_ACTOR } from '../setup/actor';
import { statementsOf } from '../membership/plans';
import { Campaigns } from '../voting/support/campaigns';
import { eventually, expectProblem } from './expect-problem';
import { waitingNow } from '../setup/lock-waits';

const EMPLOYE = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
const MEGABYTE = 2 ** 20;
const usual = { ...BUDGETS };

let app: TestApp;
let tenant: TestTenant;
/** The other environment of the same client. */
let production: TestTenant;
let other: TestTenant;
let campaigns: Campaigns;
let saboteur: Client;
const sockets: Socket[] = [];

beforeAll(async () => {
  Object.assign(BUDGETS, { requests: 6, waitingRequests: 2, waitMs: 1_000, graceMs: 1_000 });
  Object.assign(BUDGETS, { unsentResultBytes: 12 * MEGABYTE });
  // Without standbys: the tests hold connections of the primary.
  app = await TestApp.start({ standbys: new Map() });
  tenant = await app.tenant();
  production = await productionOf(tenant);
  other = await app.tenant();
  campaigns = new Campaigns(app, tenant);
  saboteur = await app.connect();
});
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(async () => {
  Object.assign(BUDGETS, usual);
  await app.stop();
});

/** Makes the other environment of a client, with a key. */
async function productionOf({ clientId }: TestTenant): Promise<TestTenant> {
  const key = { nom: 'Test', environnement: 'production', role: 'partenaire' } as const;
  const cle = await app.app.get(ClientsService).issueCle(TEST_ACTOR, clientId, key);
  return { clientId, tenantId: cle.tenantId!, cleId: cle.id, cle: cle.cle };
}

const get = (path: string, sender = tenant): Promise<Answer> => app.send(sender, 'GET', path);

/** Runs `work` while all reads of employees wait. */
async function whileEmployeesWait(work: () => Promise<void>): Promise<void> {
  await saboteur.query('BEGIN');
  await saboteur.query('LOCK TABLE employe IN ACCESS EXCLUSIVE MODE');
  try {
    await work();
  } finally {
    await saboteur.query('ROLLBACK');
  }
}

/** Counts the statements that wait for the table. */
const areWaiting = (count: number) =>
  eventually(async () => (await waitingNow(app.database)).length === count || undefined, `${count} waits`);

/** Writes the head of a request to a socket; the response is read only on demand. */
function send(text: string): Socket {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(text);
  return socket;
}
const headOf = (method: string, path: string, { cle }: TestTenant, headers = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: mandat\r\nX-Api-Key: ${cle}\r\nContent-Type: application/json\r\n${headers}\r\n`;

/** Returns all data of a connection until it ends. */
async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (data) => (text += data.toString('latin1'))).resume();
  await once(socket, 'close');
  return text;
}

/** Returns whether a list is complete. */
async function wholeOf(socket: Socket): Promise<boolean> {
  let end = '';
  socket.on('data', (data) => (end = (end + data.toString('latin1')).slice(-5))).resume();
  return eventually(() => end === '0\r\n\r\n' || undefined, 'The end of a list', 30);
}

describe('simultaneous requests of one client', () => {
  it('429 Debit.Depasse beyond the budget of both environments; other clients and the platform get their responses', async () => {
    const platform = await app.platformOf(tenant);
    await whileEmployeesWait(async () => {
      const served = Array.from({ length: 6 }, (_, n) =>
        get('/b2b/v1/employe?limite=1', n % 2 ? tenant : production),
      );
      await areWaiting(app.config.poolSize / 2);
      const late = [get('/b2b/v1/employeur'), get('/b2b/v1/employeur')];
      const full = await get('/b2b/v1/employeur');
      expectProblem(full, 429, 'Debit.Depasse');
      expect(full.json.detail).toMatch(/budget of 6 requests at once/);
      expect(full.headers.get('retry-after')).toBe('5');
      expect((await get('/b2b/v1/employeur', other)).status).toBe(200);
      const seance = { titre: 'Assemblée générale', date: '2026-03-02T14:00:00Z' };
      expect((await app.send(platform, 'POST', '/plateforme/v1/seances', seance)).status).toBe(201);
      for (const answer of await Promise.all(late)) expectProblem(answer, 429, 'Debit.Depasse');
      await saboteur.query('ROLLBACK');
      for (const answer of await Promise.all(served)) expect(answer.status).toBe(200);
    });
    expect((await get('/b2b/v1/employeur')).status).toBe(200);
  });

  it('a request counts until its response was read', async () => {
    await app.database.query(
      `INSERT INTO employeur (tenant_id, id_externe, nom) SELECT $1, 'EMP-' || n, repeat('x', 200) FROM generate_series(1, 40000) n`,
      [tenant.tenantId],
    );
    const stalled = Array.from({ length: 6 }, () => send(headOf('GET', '/b2b/v1/employeur', tenant)));
    await Promise.all(stalled.map((socket) => once(socket, 'readable')));
    expectProblem(await get('/b2b/v1/moi'), 429, 'Debit.Depasse');
    for (const socket of stalled) socket.destroy();
    await eventually(
      async () => ((await get('/b2b/v1/moi')).status === 200 ? true : undefined),
      'The next answer',
    );
  });
});

describe('parts of long lists', () => {
  it('are read one at a time for each client, whose whole lists begin in turn; other reads do not wait for them', async () => {
    const lists = Array.from({ length: 3 }, () => send(headOf('GET', '/b2b/v1/employeur', tenant)));
    await Promise.all(lists.map((socket) => once(socket, 'readable')));
    // Each stops when the buffers of its connection are full.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await saboteur.query('BEGIN');
    await saboteur.query('LOCK TABLE employeur IN ACCESS EXCLUSIVE MODE');
    const ended = lists.map((socket) => wholeOf(socket));
    await areWaiting(1);
    let begun = false;
    const list = get('/b2b/v1/employe', production).finally(() => (begun = true));
    expect((await get('/b2b/v1/employe?limite=10')).status).toBe(200);
    expect((await get('/b2b/v1/employe', other)).status).toBe(200);
    await areWaiting(1);
    expect(begun).toBe(false);
    await saboteur.query('ROLLBACK');
    expect(await Promise.all(ended)).toEqual([true, true, true]);
    expect((await list).status).toBe(200);
  });

  it('have 1,500 items, and lists that are read at once are complete', async () => {
    const limits: number[] = [];
    const { page } = JsonItems.prototype;
    const spy = jest.spyOn(JsonItems.prototype, 'page').mockImplementation(function (
      this: JsonItems,
      ...given
    ) {
      limits.push(given[2]);
      return page.apply(this, given);
    });
    try {
      const alone = await get('/b2b/v1/employeur');
      expect(alone.json).toHaveLength(40_000);
      const both = await Promise.all([get('/b2b/v1/employeur'), get('/b2b/v1/employeur')]);
      for (const { text } of both) expect(text === alone.text).toBe(true);
      expect(new Set(limits)).toEqual(new Set([1_500]));
    } finally {
      spy.mockRestore();
    }
  });
});

describe('parts of bundles and their rolls', () => {
  let id: string;
  beforeAll(async () => {
    id = await campaigns.draft();
    const insert = (table: string, rows: string): Promise<unknown> =>
      app.database.query(`INSERT INTO ${table} SELECT $1, $2, ${rows}`, [tenant.tenantId, id]);
    await insert(
      'dossier (tenant_id, campagne_id, empreinte, empreinte_archive, sel)',
      'd, d, d FROM sha256($$$$) d',
    );
    await insert(
      'dossier_fichier (tenant_id, campagne_id, place, nom, octets, sha256)',
      '0, $$f$$, 400000, sha256($$$$)',
    );
    await insert(
      'dossier_morceau (tenant_id, campagne_id, fichier, place, octets)',
      '0, n, convert_to(repeat($$x$$, 40000), $$UTF8$$) FROM generate_series(0, 9) n',
    );
  });

  it.each([
    ['dossier/archive', 'dossier_morceau'],
    ['emargement', 'votant'],
  ])('are read one at a time for each tenant: %s', async (path, table) => {
    await saboteur.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const downloads = Array.from({ length: 3 }, () => get(`/b2b/v1/campagnes/${id}/${path}`));
    await areWaiting(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await areWaiting(1);
    await saboteur.query('ROLLBACK');
    for (const answer of await Promise.all(downloads)) expect(answer.status).toBe(200);
  });

  it('are not read for a reader that has gone', async () => {
    await saboteur.query('BEGIN; LOCK TABLE dossier_morceau IN ACCESS EXCLUSIVE MODE');
    const statements = await statementsOf(async () => {
      const socket = send(headOf('GET', `/b2b/v1/campagnes/${id}/dossier/archive`, tenant));
      await areWaiting(1);
      socket.destroy();
      await new Promise((resolve) => setTimeout(resolve, 200));
      await saboteur.query('ROLLBACK');
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    // The archive reads ahead a little.
    expect(statements.filter(({ text }) => text.includes('FROM dossier_morceau')).length).toBeLessThan(5);
  });
});

describe('single items that may be large', () => {
  it.each([
    ['seance', `/b2b/v2/seance/${randomUUID()}`],
    ['question', `/b2b/v1/campagnes/${randomUUID()}/questions/${randomUUID()}`],
    ['champ_utilisateur', '/b2b/v2/champ-utilisateur/Quart'],
    ['syndicat', '/b2b/v2/syndicat/SYN-1'],
  ])('are read two at a time for each client: %s', async (table, path) => {
    await saboteur.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    try {
      const reads = Array.from({ length: 4 }, (_, n) => get(path, n % 2 ? tenant : production));
      await areWaiting(2);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await areWaiting(2);
      const another = get(path, other);
      await areWaiting(3);
      await saboteur.query('ROLLBACK');
      for (const answer of await Promise.all([...reads, another])) expect(answer.status).toBe(404);
    } finally {
      await saboteur.query('ROLLBACK');
    }
  });
});

describe('differences of a roll', () => {
  it('are read and applied one at a time for each client, in both environments', async () => {
    const pathOf = (id: string): string => `/b2b/v1/campagnes/${id}/liste-electorale/ecarts`;
    const path = pathOf(await campaigns.draft());
    const elsewhere = pathOf(await new Campaigns(app, production).draft());
    const body = { empreinte: '0'.repeat(64), natures: ['AAjouter'] };
    await whileEmployeesWait(async () => {
      const all = [
        get(path),
        get(elsewhere, production),
        app.send(tenant, 'POST', `${path}/appliquer`, body),
      ];
      await areWaiting(1);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await areWaiting(1);
      await saboteur.query('ROLLBACK');
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 409]);
    });
  });
});

describe('the connections that all clients share', () => {
  it('cannot be used up by the two environments of one client', async () => {
    await whileEmployeesWait(async () => {
      const crowd = [tenant, production].flatMap((sender) =>
        Array.from({ length: 3 }, () => get('/b2b/v1/employe?limite=1', sender)),
      );
      await areWaiting(app.config.poolSize / 2);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await areWaiting(app.config.poolSize / 2);
      expect((await get('/b2b/v1/employeur', other)).status).toBe(200);
      await saboteur.query('ROLLBACK');
      await Promise.all(crowd);
    });
  });

  it('cannot use up the connections for keys, limits and probes', async () => {
    await whileEmployeesWait(async () => {
      const crowds = [tenant, other].flatMap((sender) =>
        Array.from({ length: app.config.poolSize / 2 }, () => get('/b2b/v1/employe?limite=1', sender)),
      );
      await areWaiting(app.config.poolSize);
      // A new key, whose limit is counted for the first time.
      const newcomer = await app.tenant();
      expect((await get('/b2b/v1/moi', newcomer)).status).toBe(200);
      expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
      await saboteur.query('ROLLBACK');
      await Promise.all(crowds);
    });
  });
});

describe('a reader that reads nothing of a list', () => {
  beforeAll(() => Object.assign(BUDGETS, { readerGraceMs: 500, bytesPerSecond: 100 * MEGABYTE }));
  afterAll(() =>
    Object.assign(BUDGETS, { readerGraceMs: usual.readerGraceMs, bytesPerSecond: usual.bytesPerSecond }),
  );

  it('the list is not fetched ahead, and the connection is closed', async () => {
    const socket = send(headOf('GET', '/b2b/v1/employeur', tenant));
    const statements = await statementsOf(async () => {
      await once(socket, 'readable');
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    });
    const runs = statements.filter(({ text }) => text.includes('FROM employeur'));
    // The system's buffers hold some megabytes of the list, which has 27 parts.
    expect(runs.length).toBeLessThan(16);
    const text = await answerOf(socket);
    expect(text).toMatch(/^HTTP\/1.1 200/);
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
  });
});

describe('a body that comes byte by byte', () => {
  it('is 408 Requete.Interrompue', async () => {
    const socket = send(headOf('POST', '/b2b/v1/employe', tenant, 'Content-Length: 1000\r\n'));
    const dribble = setInterval(() => socket.write(' '), 100);
    try {
      expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 408 [^]*Requete.Interrompue/);
    } finally {
      clearInterval(dribble);
    }
  });

  it('other tenants can sync, whatever length it announces', async () => {
    Object.assign(BUDGETS, { graceMs: usual.graceMs });
    const senders = await Promise.all(Array.from({ length: 3 }, () => app.tenant()));
    const announced = `Content-Length: ${64 * MEGABYTE}\r\n`;
    const slow = senders.map((sender) => send(headOf('POST', '/b2b/v1/employe/sync', sender, announced)));
    let answers = 0;
    for (const socket of slow)
      socket
        .on('data', () => answers++)
        .resume()
        .write('{');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const body = JSON.stringify({ employes: [EMPLOYE] }) + ' '.repeat(2 * MEGABYTE);
    expect((await app.send(other, 'POST', '/b2b/v1/employe/sync', body)).status).toBe(200);
    // All slow requests are still running.
    expect(answers).toBe(0);
  });
});

describe('unread parts of lists', () => {
  it('429 for a list beyond the budget of both environments, whose readers take nothing; others get theirs', async () => {
    Object.assign(BUDGETS, { requests: usual.requests });
    const large = await TestApp.start({ databaseUrl: app.dataUrl, standbys: new Map() });
    Object.assign(BUDGETS, { requests: 6 });
    const path = '/b2b/v1/employeur';
    try {
      const { hostname, port } = new URL(large.url);
      const stalled = Array.from({ length: BUDGETS.unreadParts }, () => {
        const socket = connect(Number(port), hostname).pause();
        sockets.push(socket);
        socket.on('error', () => undefined).write(headOf('GET', path, tenant));
        return socket;
      });
      await Promise.all(stalled.map((socket) => once(socket, 'readable')));
      // Once the buffers of all connections are full.
      const refused = async (): Promise<Answer | undefined> => {
        const answer = await large.send(production, 'GET', `${path}?limite=1`);
        return answer.status === 200 ? undefined : answer;
      };
      const answer = await eventually(refused, 'A refusal', 60);
      expect((await large.send(other, 'GET', path)).status).toBe(200);
      expectProblem(answer, 429, 'Debit.Depasse');
      expect(answer.json.detail).toMatch(/8 parts of lists that their readers have not taken/);
      expect(await wholeOf(stalled[0]!)).toBe(true);
      expect((await large.send(production, 'GET', `${path}?limite=1`)).status).toBe(200);
    } finally {
      // The process waits for the answers that it has begun.
      sockets.splice(0).forEach((socket) => socket.destroy());
      await large.stop();
    }
  });
});

describe('long answers', () => {
  it('429 for one more than the budget of both environments, whose readers take nothing; lists and others get theirs', async () => {
    const id = await campaigns.draft();
    const rows = (table: string, values: string): Promise<unknown> =>
      app.database.query(`INSERT INTO ${table} SELECT $1, $2, ${values}`, [tenant.tenantId, id]);
    await rows(
      'dossier (tenant_id, campagne_id, empreinte, empreinte_archive, sel)',
      'd, d, d FROM sha256($$$$) d',
    );
    await rows(
      'dossier_fichier (tenant_id, campagne_id, place, nom, octets, sha256)',
      '0, $$f$$, 32000000, sha256($$$$)',
    );
    await rows(
      'dossier_morceau (tenant_id, campagne_id, fichier, place, octets)',
      '0, n, convert_to(repeat($$x$$, 1000000), $$UTF8$$) FROM generate_series(0, 31) n',
    );
    await app.database.query(
      `INSERT INTO syndicat (tenant_id, id_externe, nom) SELECT t, 'SYN-1', 'Un' FROM unnest($1::uuid[]) t`,
      [[production.tenantId, other.tenantId]],
    );
    Object.assign(BUDGETS, { requests: usual.requests });
    const large = await TestApp.start({ databaseUrl: app.dataUrl, standbys: new Map() });
    Object.assign(BUDGETS, { requests: 6 });
    try {
      const { hostname, port } = new URL(large.url);
      const stalled = Array.from({ length: BUDGETS.longAnswers }, () => {
        const socket = connect(Number(port), hostname).pause();
        sockets.push(socket);
        socket
          .on('error', () => undefined)
          .write(headOf('GET', `/b2b/v1/campagnes/${id}/dossier/archive`, tenant));
        return socket;
      });
      await Promise.all(stalled.map((socket) => once(socket, 'readable')));
      const union = '/b2b/v2/syndicat/SYN-1';
      const refused = await large.send(production, 'GET', union);
      expectProblem(refused, 429, 'Debit.Depasse');
      expect(refused.json.detail).toMatch(/8 long answers that their readers have not taken/);
      expect((await large.send(production, 'GET', '/b2b/v2/syndicat')).status).toBe(200);
      expect((await large.send(other, 'GET', union)).status).toBe(200);
      stalled[0]!.destroy();
      expect((await large.send(production, 'GET', union)).status).toBe(200);
    } finally {
      sockets.splice(0).forEach((socket) => socket.destroy());
      await large.stop();
    }
  });
});

describe('results of syncs that their readers have not taken', () => {
  /** Sends a sync whose result has about 11 MB, and reads only the beginning of the result. */
  async function stalledSync(sender: TestTenant): Promise<Socket> {
    const employes = Array.from({ length: 50_000 }, (_, n) => ({ idExterne: `${n}-${'x'.repeat(180)}` }));
    const body = JSON.stringify({ employes });
    const socket = send(
      headOf('POST', '/b2b/v1/employe/sync', sender, `Content-Length: ${Buffer.byteLength(body)}\r\n`),
    );
    socket.write(body);
    await once(socket, 'readable');
    return socket;
  }

  it('beyond the budget of the process, the one that is sent for longest breaks; others are whole', async () => {
    const first = await stalledSync(await app.tenant());
    const small = { employes: [EMPLOYE] };
    const beside = await app.tenant();
    expect((await app.send(beside, 'POST', '/b2b/v1/employe/sync', small)).status).toBe(200);
    const second = await stalledSync(await app.tenant());
    const text = await answerOf(first);
    expect(text).toMatch(/^HTTP\/1.1 200/);
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
    expect(await wholeOf(second)).toBe(true);
  });
});

describe('database time', () => {
  it('does not count the wait for a connection that others hold', async () => {
    const victim = await app.tenant();
    await whileEmployeesWait(async () => {
      const crowds = [tenant, other].flatMap((sender) =>
        Array.from({ length: app.config.poolSize / 2 }, () => get('/b2b/v1/employe?limite=1', sender)),
      );
      await areWaiting(app.config.poolSize);
      const waits = get('/b2b/v1/employeur', victim);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await saboteur.query('ROLLBACK');
      expect((await waits).status).toBe(200);
      await Promise.all(crowds);
    });
    Object.assign(BUDGETS, { databaseSeconds: 2 });
    const answer = await get('/b2b/v1/employeur', victim);
    Object.assign(BUDGETS, { databaseSeconds: usual.databaseSeconds });
    expect(answer.status).toBe(200);
  });

  it('429 Debit.Depasse for partners after the budget of the minute is used up in another environment; the platform is served', async () => {
    const sender = await app.tenant();
    const platform = await app.platformOf(sender);
    expect((await get('/b2b/v1/employeur', await productionOf(sender))).status).toBe(200);
    Object.assign(BUDGETS, { databaseSeconds: 0 });
    const answer = await get('/b2b/v1/employeur', sender);
    const seance = await app.send(platform, 'GET', `/plateforme/v1/seances/${randomUUID()}`);
    Object.assign(BUDGETS, { databaseSeconds: usual.databaseSeconds });
    expectProblem(seance, 404, 'Seance.NotFound');
    expectProblem(answer, 429, 'Debit.Depasse');
    expect(answer.json.detail).toMatch(/0 s of database time a minute/);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
