import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { RateLimiterService, TarpitService } from '../../libs/clients/src';
import { AccessGuard } from '../../libs/clients/src/http/access.guard';
import { Lifecycle } from '../../libs/shared/src/http/lifecycle';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { eventually, expectProblem } from './expect-problem';

const HOLD_MS = 400;
/** For what is to be found held, however slow the machine: the test ends it. */
const LONG_MS = 60_000;

let app: TestApp;
let tarpit: TarpitService;

beforeAll(async () => {
  app = await TestApp.start();
  tarpit = app.app.get(TarpitService);
});
afterAll(() => app.stop());
beforeEach(async () => {
  const limits = {
    free: 3,
    stepMs: HOLD_MS / 2,
    longestMs: HOLD_MS,
    bytes: 1_000,
    longestBodyMs: 2 * HOLD_MS,
    spread: 0,
  };
  tarpit.limits = { ...limits, perCaller: 5, inAll: 8 };
  const { rows } = await app.database.query<{ left: number }>(
    'SELECT (60 - extract(epoch FROM clock_timestamp()) % 60)::float AS left',
  );
  if (rows[0]!.left < 10) await wait(rows[0]!.left * 1_000 + 50);
}, 30_000);
afterEach(() => eventually(() => tarpit.size === 0 || undefined, 'Nothing is held'));

async function timed(work: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const begun = performance.now();
  const answer = await work();
  return { answer, ms: performance.now() - begun };
}

const ask = (key: string, headers: Record<string, string> = {}) =>
  timed(() => app.send(key, 'GET', '/b2b/v1/moi', undefined, headers));

/** A key whose minute is used up, with so many refusals. */
async function refused(often: number): Promise<TestTenant> {
  const caller = await app.tenant({ limiteParMinute: 1 });
  for (let request = 0; request <= often; request++) await ask(caller.cle);
  return caller;
}

/** Sends a request over a connection of its own and waits for nothing. */
function open(key: string): Socket {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(`GET /b2b/v1/moi HTTP/1.1\r\nHost: mandat\r\nX-Api-Key: ${key}\r\n\r\n`);
  return socket;
}

/** From now on whoever is held is so until the test ends it. */
function holdOn(): void {
  tarpit.limits = { ...tarpit.limits, stepMs: LONG_MS, longestMs: LONG_MS, longestBodyMs: LONG_MS };
}

const held = (count: number): Promise<unknown> =>
  eventually(() => tarpit.size === count || undefined, `${count} are held`);

describe('A key that goes on beyond its limit', () => {
  it('is refused at once at first, then later and later, with the same answer', async () => {
    const caller = await app.tenant({ limiteParMinute: 1 });
    const holds = jest.spyOn(tarpit, 'holds');
    const all = [];
    for (let request = 0; request < 7; request++) all.push(await ask(caller.cle));
    const isHeld = holds.mock.results.map(({ value }) => value as boolean);
    holds.mockRestore();
    // Asked about at once for the one that is allowed and the first refusals, and twice for what is held.
    expect(isHeld).toEqual([...Array<boolean>(4).fill(false), ...Array<boolean>(6).fill(true)]);
    expect(all[0]!.answer.status).toBe(200);
    for (const { answer } of all.slice(1)) {
      expectProblem(answer, 429, 'Debit.Depasse');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
      expect(answer.headers.get('connection')).not.toBe('close');
    }
    const [, , , , first, second, third] = all.map(({ ms }) => ms);
    expect(first).toBeGreaterThanOrEqual(HOLD_MS / 2 - 5);
    expect(second).toBeGreaterThanOrEqual(HOLD_MS - 5);
    expect(third).toBeGreaterThanOrEqual(HOLD_MS - 5);
  });

  it('does not come back in waves: what is held together is answered one after the other', async () => {
    const { cle } = await refused(5);
    /** In how many tenths of a wait five answers came that were held together. */
    const parts = async (): Promise<number> => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(cle)));
      return new Set(answers.map(({ ms }) => Math.floor((ms / HOLD_MS) * 10))).size;
    };
    const rounds = async (): Promise<number[]> => {
      const seen: number[] = [];
      for (let round = 0; round < 8; round++) seen.push(await parts());
      return seen;
    };
    expect(Math.min(...(await rounds()))).toBeLessThan(4);
    tarpit.limits = { ...tarpit.limits, spread: 1 };
    expect(Math.max(...(await rounds()))).toBeGreaterThanOrEqual(4);
  });

  it('delays nobody else', async () => {
    const { cle } = await refused(5);
    holdOn();
    const flooding = open(cle);
    await held(1);
    const { answer } = await ask((await app.tenant()).cle);
    expect(answer.status).toBe(200);
    expect(tarpit.size).toBe(1);
    flooding.destroy();
  });

  it('has so many requests held and no more: others are answered at once and lose their connection', async () => {
    const { cle } = await refused(5);
    holdOn();
    const sockets = Array.from({ length: 5 }, () => open(cle));
    await held(5);
    const extra = open(cle);
    const [data] = (await once(extra, 'data')) as [Buffer];
    expect(tarpit.size).toBe(5);
    expect(data.toString()).toMatch(/^HTTP\/1\.1 429 [^]*\r\nConnection: close\r\n/i);
    await once(extra, 'close');
    for (const socket of sockets) socket.destroy();
  });

  it('leaves room for those of others, up to what is held in all', async () => {
    const keys = [(await refused(5)).cle, (await refused(5)).cle];
    holdOn();
    const sockets = keys.flatMap((cle) => Array.from({ length: 5 }, () => open(cle)));
    await held(8);
    for (const socket of sockets) socket.destroy();
  });

  it('is forgotten when it goes away', async () => {
    const { cle } = await refused(5);
    holdOn();
    for (let round = 0; round < 3; round++) {
      const sockets = Array.from({ length: 5 }, () => open(cle));
      await held(5);
      for (const socket of sockets) socket.destroy();
      await held(0);
    }
  });

  it('is held longer for a body, which is thrown away, and keeps its connection', async () => {
    const { cle } = await refused(5);
    const post = (size: number) => timed(() => app.send(cle, 'POST', '/b2b/v1/employe', ' '.repeat(size)));
    const small = await post(500);
    expectProblem(small.answer, 429, 'Debit.Depasse');
    expect(small.ms).toBeGreaterThanOrEqual(1.5 * HOLD_MS - 5);
    expect(small.answer.headers.get('connection')).not.toBe('close');
    const large = await post(1_000_000);
    expectProblem(large.answer, 429, 'Debit.Depasse');
    expect(large.ms).toBeGreaterThanOrEqual(2 * HOLD_MS - 5);
    expect(large.answer.headers.get('connection')).not.toBe('close');
    const { hostname, port } = new URL(app.url);
    const chunked = connect(Number(port), hostname);
    const begun = performance.now();
    chunked.write(
      `POST /b2b/v1/employe HTTP/1.1\r\nHost: mandat\r\nX-Api-Key: ${cle}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n \r\n0\r\n\r\n`,
    );
    const [answer] = (await once(chunked, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 429 /);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(2 * HOLD_MS - 5);
    chunked.destroy();
  });
});

describe('A key that went far beyond its limit the minute before', () => {
  /** A key of the minute after one with so many refusals; it may send again, and is held for as long as the test likes. */
  async function again(refusals: number): Promise<TestTenant> {
    const caller = await refused(refusals);
    await app.database.query('DELETE FROM rate_window WHERE cle_id = $1', [caller.cleId]);
    const limiter = app.app.get(RateLimiterService);
    // The minute is over, as if the clock had moved on.
    for (const window of limiter['windows'].values()) window.endsAt = performance.now();
    return caller;
  }

  it('has what it may send spread, too; one that stopped soon has not', async () => {
    const holds = jest.spyOn(tarpit, 'holds');
    for (const [refusals, isHeld] of [
      [5, true],
      [1, false],
    ] as const) {
      const { cle } = await again(refusals);
      expect((await ask(cle)).answer.status).toBe(200);
      expect(holds.mock.results.at(-1)!.value).toBe(isHeld);
    }
    holds.mockRestore();
  });

  it('has nothing done for it once it has gone, or is revoked', async () => {
    const [gone, revoked] = [await again(5), await again(5)];
    holdOn();
    const post = (cle: string): Socket => {
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /b2b/v2/webhook/${randomUUID()}/test HTTP/1.1\r\nHost: mandat\r\nX-Api-Key: ${cle}\r\n\r\n`,
      );
      return socket;
    };
    const guard = jest.spyOn(AccessGuard.prototype, 'canActivate');
    const sockets = [post(gone.cle)];
    await held(1);
    sockets[0]!.destroy();
    await held(0);
    await expect(guard.mock.results[0]!.value).rejects.toMatchObject({ code: 'Requete.Interrompue' });
    tarpit.limits = { ...tarpit.limits, stepMs: 5_000, longestMs: 5_000 };
    const answer = once(post(revoked.cle), 'data') as Promise<[Buffer]>;
    await held(1);
    await app.send(app.adminKey, 'DELETE', `/admin/v1/clients/${revoked.clientId}/cles/${revoked.cleId}`);
    expect((await answer)[0].toString()).toMatch(/^HTTP\/1\.1 401 /);
    guard.mockRestore();
  });
});

describe('Callers without a key that holds', () => {
  it('are held back together when they are many, and nobody else is', async () => {
    for (let request = 0; request < 6; request++) await ask(`nobody ${request}`);
    const stranger = await ask('somebody new');
    expectProblem(stranger.answer, 401, 'Cle.Invalide');
    expect(stranger.ms).toBeGreaterThanOrEqual(HOLD_MS - 5);
    holdOn();
    const waiting = open('nobody');
    await held(1);
    expect((await ask((await app.tenant()).cle)).answer.status).toBe(200);
    expect(tarpit.size).toBe(1);
    waiting.destroy();
  });
});

describe('A process that stops', () => {
  it('holds nobody back', async () => {
    const other = await TestApp.start({ databaseUrl: app.config.databaseUrl });
    const own = other.app.get(TarpitService);
    own.limits = { ...own.limits, free: 0, stepMs: 30_000, longestMs: 30_000 };
    expect(own.holds(1)).toBe(true);
    other.app.get(Lifecycle).stop();
    expect(own.holds(1)).toBe(false);
    expectProblem(await other.send('nobody', 'GET', '/b2b/v1/moi'), 401, 'Cle.Invalide');
    await other.stop();
  });
});
