import { DELAYS_S, retryDelay } from './retry-delays';

describe('retryDelay', () => {
  it('follows the schedule, and stays at its end', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 20].map((failed) => retryDelay(failed, 0))).toEqual([
      60, 300, 900, 1_800, 3_600, 7_200, 14_400, 14_400, 14_400,
    ]);
  });

  it('adds a tenth at most', () => {
    for (const [index, delay] of DELAYS_S.entries())
      expect(retryDelay(index + 1, 1)).toBe(Math.round(delay * 1.1));
  });
});
