import fc from 'fast-check';
import { SharedBytes } from './shared-bytes';

describe('SharedBytes', () => {
  it('gives one owner at most its limit, and at most what it leaves free', () => {
    const bytes = new SharedBytes(64, 16);
    expect(bytes.roomOf('a')).toBe(16);
    bytes.take('a', 16);
    expect(bytes.roomOf('a')).toBe(0);
    for (const owner of ['b', 'c']) bytes.take(owner, 16);
    // 16 are free: the next owner leaves as many as it takes.
    expect(bytes.roomOf('d')).toBe(8);
    bytes.take('d', 8);
    expect(bytes.roomOf('d')).toBe(0);
    expect(bytes.roomOf('e')).toBe(4);
  });

  it('has room again for what was given back', () => {
    const bytes = new SharedBytes(64, 16);
    bytes.take('a', 10);
    bytes.give('a', 10);
    expect(bytes.isEmpty).toBe(true);
    expect(bytes.roomOf('a')).toBe(16);
  });

  it('leaves room for a new owner, however many take all that they may', () => {
    const owners = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(owners, (takers) => {
        const bytes = new SharedBytes(1_000_000, 250_000);
        for (const owner of takers) {
          const room = bytes.roomOf(String(owner));
          if (room > 0) bytes.take(String(owner), room);
          expect(bytes.of(String(owner))).toBeLessThanOrEqual(250_000);
        }
        // Each of 15 owners halves what is free, at most.
        expect(bytes.roomOf('new')).toBeGreaterThan(0);
      }),
    );
  });
});
