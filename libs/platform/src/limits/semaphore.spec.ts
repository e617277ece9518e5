import pLimit from 'p-limit';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Semaphore } from './semaphore';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

it('lets so many calls run at once, in the order of arrival, also after a failure', async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const call = (index: number) => async (): Promise<number> => {
    begun.push(index);
    most = Math.max(most, ++running);
    await setImmediate();
    running--;
    if (index % 3 === 0) throw new Error('failed');
    return index;
  };
  const all = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => semaphore.run(call(index))));
  expect([most, begun]).toEqual([2, Array.from({ length: 10 }, (_, index) => index)]);
  expect(all.map(({ status }) => status === 'fulfilled')).toEqual(begun.map((index) => index % 3 > 0));
});

const CALLS = 200;
const LENGTH = 24_000;

/** Returns the share of the results that is in memory after they were used, while other calls wait. */
async function shareKept(run: (call: () => Promise<string>) => Promise<string>): Promise<number> {
  const bytes = Buffer.alloc(LENGTH, 'x');
  const call = async (): Promise<string> => {
    await setImmediate();
    return bytes.toString('latin1');
  };
  // Three callers for one place: two always wait.
  const callers = (calls: number): Promise<void>[] =>
    [1, 2, 3].map(async () => {
      for (let made = 0; made < calls; made++) await run(call);
    });
  const others = callers(2 * CALLS);
  for (let turns = 0; turns < CALLS; turns++) await setImmediate();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let turns = 0; turns < CALLS; turns++) await setImmediate();
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  const kept = process.memoryUsage().heapUsed - before;
  await Promise.all(others);
  return kept / (CALLS * LENGTH);
}

it('does not keep results while calls wait', async () => {
  const semaphore = new Semaphore(1);
  expect(await shareKept((call) => semaphore.run(call))).toBeLessThan(0.3);
});

it('control: p-limit keeps them', async () => {
  const limit = pLimit(1);
  expect(await shareKept((call) => limit(call))).toBeGreaterThan(0.6);
});
