import { setImmediate as turn } from 'node:timers/promises';
import { BodyBytes, type BodyShare } from './body-bytes';

/** Takes bytes and returns whether the body may go on. */
async function goesOn(bodies: BodyBytes, share: BodyShare, bytes: number): Promise<boolean> {
  let isGoing = false;
  void (bodies.take(share, bytes) ?? Promise.resolve()).then(() => (isGoing = true));
  await turn();
  return isGoing;
}

describe('BodyBytes', () => {
  it('lets bodies that have announced much and sent little leave room for others', async () => {
    const bodies = new BodyBytes(30, 10);
    for (let slow = 0; slow < 5; slow++) expect(await goesOn(bodies, bodies.begin(), 1)).toBe(true);
    expect(await goesOn(bodies, bodies.begin(), 9)).toBe(true);
  });

  it('lets only the first body take the room that one whole body needs', async () => {
    const bodies = new BodyBytes(30, 10);
    const [first, second, third] = [bodies.begin(), bodies.begin(), bodies.begin()];
    expect(await goesOn(bodies, first, 2)).toBe(true);
    expect(await goesOn(bodies, second, 10)).toBe(true);
    const waiting = goesOn(bodies, third, 9);
    expect(await waiting).toBe(false);
    expect(await goesOn(bodies, first, 8)).toBe(true);
  });

  it('lets a waiting body go on when another one gives its bytes back', async () => {
    const bodies = new BodyBytes(20, 10);
    const [first, second] = [bodies.begin(), bodies.begin()];
    expect(await goesOn(bodies, first, 5)).toBe(true);
    let isGoing = false;
    void bodies.take(second, 5)!.then(() => (isGoing = true));
    await turn();
    expect(isGoing).toBe(false);
    bodies.arrived(first);
    bodies.end(first);
    await turn();
    expect(isGoing).toBe(true);
  });

  it('never lets bodies wait for each other alone', async () => {
    const bodies = new BodyBytes(20, 10);
    const shares = Array.from({ length: 8 }, () => bodies.begin());
    // More than there is room for, because each takes what has arrived before it waits.
    const taken = await Promise.all(shares.map((share) => goesOn(bodies, share, 4)));
    expect(taken).toContain(true);
    expect(await goesOn(bodies, shares[0]!, 6)).toBe(true);
  });

  it('makes bodies wait while others that have arrived are worked on', async () => {
    const bodies = new BodyBytes(20, 10);
    const [first, second] = [bodies.begin(), bodies.begin()];
    await goesOn(bodies, first, 20);
    bodies.arrived(first);
    expect(await goesOn(bodies, second, 1)).toBe(false);
  });
});
