import { setTimeout as sleep } from 'node:timers/promises';
import { FairLimit } from './fair-limit';

describe('a fair limit', () => {
  it('runs so many calls at once; waiting clients alternate', async () => {
    const limit = new FairLimit(2);
    const order: string[] = [];
    let [running, most] = [0, 0];
    const call = (client: string, id: string): Promise<void> =>
      limit.run(client, async () => {
        most = Math.max(most, ++running);
        order.push(id);
        await sleep(5);
        running--;
      });
    const calls = ['A1', 'A2', 'A3', 'A4', 'A5', 'B1', 'B2'].map((id) => call(id[0]!, id));
    await Promise.all(calls);
    expect([order, most]).toEqual([['A1', 'A2', 'A3', 'B1', 'A4', 'B2', 'A5'], 2]);
    await call('C', 'C1');
    expect(order.at(-1)).toBe('C1');
  });

  it('a call that fails gives its place to the next', async () => {
    const limit = new FairLimit(1);
    const failed = limit.run('A', () => Promise.reject(new Error('refused')));
    const next = limit.run('A', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('refused');
    expect(await next).toBe('done');
  });
});
