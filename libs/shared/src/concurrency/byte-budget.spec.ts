import { setImmediate as turn } from 'node:timers/promises';
import { ByteBudget } from './byte-budget';

describe('ByteBudget', () => {
  it('starts work in order, as much at once as fits, and forgets what has failed', async () => {
    const budget = new ByteBudget(10);
    const begun: string[] = [];
    const ends: Record<string, (error?: Error) => void> = {};
    const hold = (name: string, bytes: number): Promise<unknown> =>
      budget.hold(bytes, () => {
        begun.push(name);
        return new Promise<void>((resolve, reject) => {
          ends[name] = (error) => (error ? reject(error) : resolve());
        });
      });
    const six = hold('six', 6);
    const nine = hold('nine', 9);
    const one = hold('one', 1);
    const twenty = hold('twenty', 20);
    // One would fit, but it came after nine.
    expect(begun).toEqual(['six']);
    ends.six!(new Error('as asked'));
    await expect(six).rejects.toThrow('as asked');
    await turn();
    expect(begun).toEqual(['six', 'nine', 'one']);
    ends.nine!();
    await nine;
    await turn();
    expect(begun).toEqual(['six', 'nine', 'one']);
    ends.one!();
    await one;
    await turn();
    expect(begun).toEqual(['six', 'nine', 'one', 'twenty']);
    ends.twenty!();
    await twenty;
  });
});
