import { EventBodies } from './event-bodies';

describe('EventBodies', () => {
  it('makes one body for all attempts that run at the same time, and forgets it with the last of them', async () => {
    const bodies = new EventBodies();
    let made = 0;
    const make = (): Promise<Buffer> => Promise.resolve(Buffer.from(`body ${++made}`));
    const ends: (() => void)[] = [];
    const seen: (Buffer | undefined)[] = [];
    const use = (): Promise<void> =>
      bodies.use('event', make, (body) => {
        seen.push(body);
        return new Promise<void>((end) => ends.push(end));
      });
    const uses = [use(), use(), use()];
    await new Promise(setImmediate);
    expect(made).toBe(1);
    expect(new Set(seen).size).toBe(1);
    ends.splice(0, 2).forEach((end) => end());
    await Promise.all(uses.slice(0, 2));
    expect(bodies.count).toBe(1);
    ends[0]!();
    await uses[2];
    expect(bodies.count).toBe(0);
    const again = use();
    await new Promise(setImmediate);
    expect(made).toBe(2);
    ends[1]!();
    await again;
  });

  it('passes on the error of a body that could not be made, and makes it again later', async () => {
    const bodies = new EventBodies();
    const fail = (): Promise<Buffer> => Promise.reject(new Error('no database'));
    const work = (body: Buffer | undefined): Promise<string> => Promise.resolve(String(body));
    const failed = await Promise.allSettled([
      bodies.use('event', fail, work),
      bodies.use('event', fail, work),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(bodies.count).toBe(0);
    expect(await bodies.use('event', () => Promise.resolve(Buffer.from('x')), work)).toBe('x');
  });
});
