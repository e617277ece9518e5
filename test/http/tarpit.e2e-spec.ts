import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { TarpitService } from '../../libs/clients/src';
import { Lifecycle } from '../../libs/shared/src/http/lifecycle';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { eventually, expectProblem } from './expect-problem';

/** Long enough to tell what is held from what is slow. */
const HOLD_MS = 400;

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

const held = (count: number): Promise<unknown> =>
  eventually(() => tarpit.size === count || undefined, `${count} are held`);

describe('A key that goes on beyond its limit', () => {
  it('is refused at once at first, then later and later, with the same answer', async () => {
    const caller = await app.tenant({ limiteParMinute: 1 });
    const all = [];
    for (let request = 0; request < 7; request++) all.push(await ask(caller.cle));
    expect(all[0]!.answer.status).toBe(200);
    for (const { answer } of all.slice(1)) {
      expectProblem(answer, 429, 'Debit.Depasse');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    }
    const [, , , , first, second, third] = all.map(({ ms }) => ms);
    expect(first).toBeGreaterThanOrEqual(HOLD_MS / 2 - 5);
    expect(second).toBeGreaterThanOrEqual(HOLD_MS - 5);
    expect(third).toBeGreaterThanOrEqual(HOLD_MS - 5);
    expect(Math.max(...all.slice(0, 4).map(({ ms }) => ms))).toBeLessThan(first!);
  });

  it('delays nobody else', async () => {
    const flooding = open((await refused(5)).cle);
    await held(1);
    const { answer } = await ask((await app.tenant()).cle);
    expect(answer.status).toBe(200);
    expect(tarpit.size).toBe(1);
    flooding.destroy();
  });

  it('has so many requests held and no more: others are answered at once and lose their connection', async () => {
    const { cle } = await refused(5);
    const sockets = Array.from({ length: 5 }, () => open(cle));
    await held(5);
    const extra = open(cle);
    const [data] = (await once(extra, 'data')) as [Buffer];
    expect(tarpit.size).toBe(5);
    expect(data.toString()).toMatch(/^HTTP\/1\.1 429 [^]*\r\nConnection: close\r\n/i);
    await once(extra, 'close');
    for (const socket of sockets) {
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 429 /);
      expect(answer.toString()).not.toMatch(/\r\nConnection: close\r\n/i);
      socket.destroy();
    }
  });

  it('leaves room for those of others, up to what is held in all', async () => {
    const keys = [(await refused(5)).cle, (await refused(5)).cle];
    const sockets = keys.flatMap((cle) => Array.from({ length: 5 }, () => open(cle)));
    await held(8);
    for (const socket of sockets) socket.destroy();
  });

  it('is forgotten when it goes away', async () => {
    const { cle } = await refused(5);
    tarpit.limits = { ...tarpit.limits, stepMs: 60_000, longestMs: 60_000, longestBodyMs: 60_000 };
    for (let round = 0; round < 3; round++) {
      const sockets = Array.from({ length: 5 }, () => open(cle));
      await held(5);
      for (const socket of sockets) socket.destroy();
      await held(0);
    }
  });

  it('is held longer for a body, which is thrown away, and loses its connection for a large one', async () => {
    const { cle } = await refused(5);
    const post = (size: number) => timed(() => app.send(cle, 'POST', '/b2b/v1/employe', ' '.repeat(size)));
    const small = await post(500);
    expectProblem(small.answer, 429, 'Debit.Depasse');
    expect(small.ms).toBeGreaterThanOrEqual(1.5 * HOLD_MS - 5);
    expect(small.answer.headers.get('connection')).not.toBe('close');
    const large = await post(1_500);
    expectProblem(large.answer, 429, 'Debit.Depasse');
    expect(large.ms).toBeGreaterThanOrEqual(2 * HOLD_MS - 5);
    expect(large.answer.headers.get('connection')).toBe('close');
  });
});

describe('Callers without a key that holds', () => {
  it('are held back together when they are many, and nobody else is', async () => {
    for (let request = 0; request < 6; request++) await ask(`nobody ${request}`);
    const stranger = await ask('somebody new');
    expectProblem(stranger.answer, 401, 'Cle.Invalide');
    expect(stranger.ms).toBeGreaterThanOrEqual(HOLD_MS - 5);
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
    other.app.get(Lifecycle).stop();
    expectProblem(await other.send('nobody', 'GET', '/b2b/v1/moi'), 401, 'Cle.Invalide');
    await other.stop();
  });
});
