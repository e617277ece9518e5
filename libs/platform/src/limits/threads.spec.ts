import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { type ThreadLimits, Threads, ThreadLimitPassed } from './threads';

/** Answers its number and the commands that it got before `end`, and runs all other commands. */
const CODE = `
  const { parentPort, threadId } = require('node:worker_threads');
  let told = [];
  parentPort.on('message', (message) => {
    if (message === 'throw') throw new RangeError('as asked');
    if (message === 'run') for (;;);
    if (message === 'fill') for (const all = []; ; ) all.push(new Array(10_000).fill(all.length));
    if (message !== 'end') return told.push(message);
    parentPort.postMessage({ threadId, told });
    told = [];
  });`;

interface Told {
  readonly threadId: number;
  readonly told: readonly unknown[];
}
type Post = (message: unknown) => void;

const folder = mkdtempSync(join(tmpdir(), 'mandat-threads-'));
const file = join(folder, 'told.cjs');
const LIMITS: ThreadLimits = { atOnce: 2, memoryMb: 32, timeMs: 60_000, idleMs: 60_000 };

let threads: Threads;
const start = (limits: Partial<ThreadLimits> = {}): Threads =>
  (threads = new Threads(file, { ...LIMITS, ...limits }));
/** Posts some messages and the end. */
const telling =
  (...messages: unknown[]) =>
  (post: Post): Promise<void> => {
    for (const message of [...messages, 'end']) post(message);
    return Promise.resolve();
  };
/** A piece of work that has a thread until it is released. */
function held(key: string): { begun: () => boolean; release: () => void; ended: Promise<Told> } {
  let release!: () => void;
  let begun = false;
  const ended = threads.run<Told>(key, (post) => {
    begun = true;
    return new Promise((resolve) => (release = () => (post('end'), resolve())));
  });
  return { begun: () => begun, release: () => release(), ended };
}

beforeAll(() => writeFileSync(file, CODE));
afterEach(() => threads.close());
afterAll(() => rmSync(folder, { recursive: true }));

describe('Threads', () => {
  it('run work beside the main thread, one piece after the other in the same thread', async () => {
    start();
    const one = await threads.run<Told>('a', telling(1, 'two'));
    const other = await threads.run<Told>('b', telling());
    expect(one.told).toEqual([1, 'two']);
    expect(one.threadId).not.toBe(threadId);
    expect(other).toEqual({ threadId: one.threadId, told: [] });
  });

  it('a thread that was idle has one piece of work at a time', async () => {
    start();
    await threads.run('a', telling());
    const both = ['a', 'b'].map((key) => held(key));
    await turn();
    for (const one of both) one.release();
    const [a, b] = await Promise.all(both.map(({ ended }) => ended));
    expect(a!.threadId).not.toBe(b!.threadId);
  });

  it('a limited number runs at once, one for each key, and keys alternate', async () => {
    start();
    const [a1, a2, b1, c1] = ['a', 'a', 'b', 'c'].map((key) => held(key));
    await turn();
    // The second of a came before b, and waits for the first.
    expect([a1, a2, b1, c1].map((one) => one!.begun())).toEqual([true, false, true, false]);
    a1!.release();
    await a1!.ended;
    await turn();
    // C has waited longer for a thread than the second of a, which could not.
    expect([a2, c1].map((one) => one!.begun())).toEqual([false, true]);
    b1!.release();
    await b1!.ended;
    await turn();
    expect(a2!.begun()).toBe(true);
    for (const one of [a2, c1]) one!.release();
    await Promise.all([a2!.ended, c1!.ended]);
  });

  it('a key may have all threads, and another one is next', async () => {
    start({ ofOneKey: 2 });
    const [a1, a2, a3, b1] = ['a', 'a', 'a', 'b'].map((key) => held(key));
    await turn();
    expect([a1, a2, a3, b1].map((one) => one!.begun())).toEqual([true, true, false, false]);
    a1!.release();
    await a1!.ended;
    await turn();
    expect([a3, b1].map((one) => one!.begun())).toEqual([false, true]);
    for (const one of [a2, b1]) one!.release();
    await Promise.all([a2!.ended, b1!.ended]);
    await turn();
    a3!.release();
    await a3!.ended;
  });

  it.each([
    ['what the thread throws', 'throw', RangeError, {}],
    ['the limit of time', 'run', ThreadLimitPassed, { limit: 'time' }],
    ['the limit of memory', 'fill', ThreadLimitPassed, { limit: 'memory' }],
  ])('end a thread that fails, and go on with another one: %s', async (_, message, type, fields) => {
    start({ atOnce: 1, ...(message === 'run' ? { timeMs: 3_000 } : {}) });
    const { threadId: first } = await threads.run<Told>('a', telling());
    const failure: unknown = await threads.run('a', telling(message)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(type);
    expect(failure).toMatchObject(fields);
    const { threadId: second } = await threads.run<Told>('a', telling());
    expect(second).not.toBe(first);
  });

  it('give a thread up whose work cannot be posted', async () => {
    start({ atOnce: 1 });
    const failing = threads.run('a', (post) => {
      post('left over');
      return Promise.reject(new Error('no answers'));
    });
    await expect(failing).rejects.toThrow('no answers');
    expect((await threads.run<Told>('a', telling('new'))).told).toEqual(['new']);
  });

  it('end once they have had no work for a time', async () => {
    start({ idleMs: 1 });
    const seen = new Set<number>();
    while (seen.size < 2) {
      seen.add((await threads.run<Told>('a', telling())).threadId);
      await sleep(20);
    }
  });
});
