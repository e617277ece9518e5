import { connect, type Socket } from 'node:net';
import { EventEmitter, once } from 'node:events';
import type { Response } from 'express';
import { setTimeout as wait } from 'node:timers/promises';
import { KeylessBudget } from '../../libs/platform/src/limits/keyless-budget';
import { Maintenance } from '../../libs/platform/src/database/maintenance';
import { FloodDelay } from '../../libs/platform/src/limits/flood-delay';
import { Lifecycle } from '../../libs/platform/src/ops/lifecycle';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { eventually, expectProblem } from './expect-problem';
import { perFile } from '../setup/fixtures';

const DELAY_MS = 400;
/** Longer than any test: the requests stay delayed until the test closes them. */
const LONG_MS = 60_000;

const app = perFile(() => TestApp.own('changes the application'));
let floodDelay: FloodDelay;

beforeAll(async () => {
  floodDelay = app.app.get(FloodDelay);
});
beforeEach(async () => {
  floodDelay.limits = { free: 3, stepMs: DELAY_MS / 2, longestMs: DELAY_MS, perCaller: 5, inAll: 8 };
  const { rows } = await app.database.query<{ left: number }>(
    'SELECT (60 - extract(epoch FROM clock_timestamp()) % 60)::float AS left',
  );
  if (rows[0]!.left < 10) await wait(rows[0]!.left * 1_000 + 50);
}, 30_000);
afterEach(() => {
  jest.restoreAllMocks();
  return delayed(0);
});

async function timed(work: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const begun = performance.now();
  const answer = await work();
  return { answer, ms: performance.now() - begun };
}

const ask = (key: string) => timed(() => app.send(key, 'GET', '/b2b/v1/moi'));

/** Creates a key whose limit is used up, with this number of rejections. */
async function refused(count: number): Promise<TestTenant> {
  const caller = await app.tenant({ limiteParMinute: 1 });
  for (let request = 0; request <= count; request++) await ask(caller.cle);
  return caller;
}

/** Sends a request over a connection of its own, without waiting for the response. */
function open(key: string, url = app.url): Socket {
  return send(`GET /b2b/v1/moi HTTP/1.1\r\nHost: mandat\r\nX-Api-Key: ${key}\r\n\r\n`, url);
}

function send(bytes: string, url = app.url): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}

/** From now on, each delayed request stays delayed until the test closes its connection. */
function delayForLong(): void {
  floodDelay.limits = { ...floodDelay.limits, stepMs: LONG_MS, longestMs: LONG_MS };
}

const delayed = (count: number): Promise<unknown> =>
  eventually(() => floodDelay['refused'].delayed === count || undefined, `${count} requests are delayed`);

describe('A key that goes on beyond its limit', () => {
  it('gets its first refusals at once and further ones later and later, all with the same answer', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { limits } = floodDelay;
    const caller = await app.tenant({ limiteParMinute: 1 });
    delayForLong();
    const all = [];
    for (let request = 0; request < 4; request++) all.push(await ask(caller.cle));
    floodDelay.limits = limits;
    for (let request = 0; request < 3; request++) all.push(await ask(caller.cle));
    expect(all[0]!.answer.status).toBe(200);
    for (const { answer } of all.slice(1)) {
      expectProblem(answer, 429, 'Debit.Depasse');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
      expect(answer.headers.get('connection')).not.toBe('close');
    }
    const [, , , , first, second, third] = all.map(({ ms }) => ms);
    expect(first).toBeGreaterThanOrEqual(DELAY_MS / 2 - 5);
    expect(second).toBeGreaterThanOrEqual(DELAY_MS - 5);
    expect(third).toBeGreaterThanOrEqual(DELAY_MS - 5);
  });

  it('does not come back in waves: requests delayed together get their responses one after the other', async () => {
    const { cle } = await refused(5);
    /** Returns the number of different tenths of a delay in which the responses to five simultaneous requests came. */
    const parts = async (): Promise<number> => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(cle)));
      return new Set(answers.map(({ ms }) => Math.floor((ms / DELAY_MS) * 10))).size;
    };
    const rounds = async (): Promise<number[]> => {
      const seen: number[] = [];
      for (let round = 0; round < 8; round++) seen.push(await parts());
      return seen;
    };
    expect(Math.max(...(await rounds()))).toBeGreaterThanOrEqual(3);
    jest.spyOn(Math, 'random').mockReturnValue(0);
    expect(Math.min(...(await rounds()))).toBeLessThan(3);
  });

  it('does not delay other keys', async () => {
    const { cle } = await refused(5);
    delayForLong();
    const flooding = open(cle);
    await delayed(1);
    const { answer } = await ask((await app.tenant()).cle);
    expect(answer.status).toBe(200);
    expect(floodDelay['refused'].delayed).toBe(1);
    flooding.destroy();
  });

  it('has a maximum of delayed requests; further ones get their response at once and lose their connection', async () => {
    const { cle } = await refused(5);
    delayForLong();
    const sockets = Array.from({ length: 5 }, () => open(cle));
    await delayed(5);
    const extra = open(cle);
    const [data] = (await once(extra, 'data')) as [Buffer];
    expect(floodDelay['refused'].delayed).toBe(5);
    expect(data.toString()).toMatch(/^HTTP\/1\.1 429 [^]*\r\nConnection: close\r\n/i);
    await once(extra, 'close');
    for (const socket of sockets) socket.destroy();
  });

  it('has places of its own, beside the delays that rehearsals ask for', async () => {
    const { cle } = await refused(5);
    delayForLong();
    const responses = Array.from({ length: 8 }, () =>
      Object.assign(new EventEmitter(), { destroyed: false }),
    );
    const asked = responses.map((response, n) =>
      floodDelay.asked(`caller ${n}`, response as unknown as Response, LONG_MS),
    );
    const flooding = open(cle);
    await delayed(1);
    for (const response of responses) response.emit('close');
    await Promise.all(asked);
    flooding.destroy();
  });

  it('leaves room for other keys, up to the maximum of all keys together', async () => {
    const keys = [(await refused(5)).cle, (await refused(5)).cle];
    delayForLong();
    const sockets = keys.flatMap((cle) => Array.from({ length: 5 }, () => open(cle)));
    await delayed(8);
    for (const socket of sockets) socket.destroy();
  });

  it('takes no more room once its connections are closed', async () => {
    const { cle } = await refused(5);
    delayForLong();
    for (let round = 0; round < 3; round++) {
      const sockets = Array.from({ length: 5 }, () => open(cle));
      await delayed(5);
      for (const socket of sockets) socket.destroy();
      await delayed(0);
    }
  });

  it('keeps its connection when its body is refused after a delay', async () => {
    const { cle } = await refused(5);
    const { answer } = await timed(() => app.send(cle, 'POST', '/b2b/v1/employe', ' '.repeat(1_000_000)));
    expectProblem(answer, 429, 'Debit.Depasse');
    expect(answer.headers.get('connection')).not.toBe('close');
  });
});

describe('Callers without a valid key', () => {
  it('are delayed together once they are many; callers with a valid key are not', async () => {
    for (let request = 0; request < 6; request++) await ask(`nobody ${request}`);
    const stranger = await ask('somebody new');
    expectProblem(stranger.answer, 401, 'Cle.Invalide');
    expect(stranger.ms).toBeGreaterThanOrEqual(DELAY_MS / 2 - 5);
    delayForLong();
    const waiting = open('nobody');
    await delayed(1);
    expect((await ask((await app.tenant()).cle)).answer.status).toBe(200);
    expect(floodDelay['refused'].delayed).toBe(1);
    waiting.destroy();
  });

  it.each<[what: string, request: string, status: number]>([
    ['a path that no route has', 'GET /nothing HTTP/1.1\r\nHost: mandat', 404],
    ['documents beyond their budget', 'GET /docs HTTP/1.1\r\nHost: mandat', 429],
    ['a request without a Host', 'GET /docs HTTP/1.1', 400],
    ['a path that cannot be read', 'GET /b2b/v1/employe/%E9 HTTP/1.1\r\nHost: mandat', 400],
  ])('are delayed however they are refused: %s', async (_what, request, status) => {
    app.app.get(KeylessBudget).perSecond = 0;
    for (let refusal = 0; refusal < 6; refusal++) await ask('nobody');
    delayForLong();
    const waiting = send(`${request}\r\n\r\n`);
    await delayed(1);
    waiting.destroy();
    await delayed(0);
    floodDelay.limits = { ...floodDelay.limits, free: 1_000 };
    const answered = send(`${request}\r\n\r\n`);
    const [data] = (await once(answered, 'data')) as [Buffer];
    expect(data.toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    answered.destroy();
  });

  it('are not delayed at probes', async () => {
    app.app.get(KeylessBudget).perSecond = 0;
    for (let refusal = 0; refusal < 6; refusal++) await ask('nobody');
    delayForLong();
    jest.spyOn(app.app.get(Maintenance), 'ping').mockRejectedValue(new Error('no database'));
    for (const path of ['/health/live', '/metrics'])
      expect((await app.send(undefined, 'GET', path)).status).toBe(200);
    expectProblem(await app.send(undefined, 'GET', '/health/ready'), 503, 'Service.Indisponible');
  });
});

describe('A process that stops', () => {
  it('delays no refusals', async () => {
    const other = await TestApp.start({ databaseUrl: app.config.databaseUrl });
    const own = other.app.get(FloodDelay);
    own.limits = { ...own.limits, free: 0, stepMs: LONG_MS, longestMs: LONG_MS };
    const waiting = open('nobody', other.url);
    await eventually(() => own['refused'].delayed === 1 || undefined, 'One request is delayed');
    other.app.get(Lifecycle).stop();
    expectProblem(await other.send('nobody', 'GET', '/b2b/v1/moi'), 401, 'Cle.Invalide');
    waiting.destroy();
    await other.stop();
  });
});
