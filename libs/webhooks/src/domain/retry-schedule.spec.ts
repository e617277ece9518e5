import fc from 'fast-check';
import { words } from '../../../../test/setup/words';
import { ATTEMPTS, DELAYS_S, JITTER, nextAttempt, parseRetryAfter } from './retry-schedule';

const RUNS = { numRuns: 500 };
const DAY_S = 86_400;

const at = new Date('2026-03-02T14:05:09.120Z');
const times = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
  noInvalidDate: true,
});
const randoms = fc.double({ min: 0, max: 1, noNaN: true });
const failures = fc.integer({ min: 1, max: DELAYS_S.length });

/** Seconds until the next attempt. */
function gap(failed: number, retryAfterS: number | undefined, random: number, from = at): number {
  return (nextAttempt(failed, from, retryAfterS, random)!.getTime() - from.getTime()) / 1_000;
}

describe('The schedule of attempts', () => {
  it('is the documented one: ten attempts, at 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h', () => {
    expect(ATTEMPTS).toBe(10);
    const gaps = Array.from({ length: ATTEMPTS - 1 }, (_, failed) => gap(failed + 1, undefined, 0));
    expect(gaps).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  });

  it('ends with the tenth attempt, whatever a receiver asks for', () => {
    expect(nextAttempt(9, at, undefined, 0)).toBeInstanceOf(Date);
    const later = fc.integer({ min: ATTEMPTS, max: 1_000 });
    const asked = fc.option(fc.nat(DAY_S), { nil: undefined });
    fc.assert(
      fc.property(later, times, asked, randoms, (failed, from, seconds, random) => {
        expect(nextAttempt(failed, from, seconds, random)).toBeUndefined();
      }),
      RUNS,
    );
  });

  it('adds up to a tenth of the delay, never takes any off, and spreads evenly', () => {
    fc.assert(
      fc.property(failures, times, randoms, (failed, from, random) => {
        const delay = DELAYS_S[failed - 1]!;
        const seconds = gap(failed, undefined, random, from);
        expect(seconds).toBeGreaterThanOrEqual(delay);
        expect(seconds).toBeLessThanOrEqual(delay * (1 + JITTER) + 0.001);
        expect(seconds).toBeCloseTo(delay * (1 + JITTER * random), 2);
      }),
      RUNS,
    );
    expect(JITTER).toBe(0.1);
    expect([0, 0.5, 1].map((random) => gap(2, undefined, random))).toEqual([300, 315, 330]);
  });

  it('waits as long as a receiver asks for, a day at most, and never less than the schedule', () => {
    const asked = fc.oneof(
      fc.nat(30 * DAY_S),
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      fc.constantFrom(0, Number.MAX_SAFE_INTEGER, Infinity),
    );
    fc.assert(
      fc.property(failures, times, asked, randoms, (failed, from, seconds, random) => {
        const scheduled = DELAYS_S[failed - 1]! * (1 + JITTER * random);
        expect(gap(failed, seconds, random, from)).toBeCloseTo(
          Math.max(scheduled, Math.min(seconds, DAY_S)),
          2,
        );
      }),
      RUNS,
    );
    expect(gap(1, 60, 0)).toBe(60);
    expect(gap(1, 4, 0)).toBe(5);
    expect(gap(1, 0, 0)).toBe(5);
    expect(gap(1, DAY_S + 1, 0)).toBe(DAY_S);
    expect(gap(9, DAY_S, 1)).toBeCloseTo(DAY_S * 1.1, 2);
  });
});

describe('Retry-After', () => {
  it('is read as seconds', () => {
    fc.assert(
      fc.property(fc.nat(9_999_999), times, (seconds, from) => {
        expect(parseRetryAfter(String(seconds), from)).toBe(seconds);
        expect(parseRetryAfter(`  ${seconds}\t`, from)).toBe(seconds);
      }),
      RUNS,
    );
    expect(parseRetryAfter('9999999999', at)).toBe(9_999_999_999);
    expect(parseRetryAfter('007', at)).toBe(7);
  });

  it('is read as a date, and one that is past asks for nothing', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: -DAY_S, max: 30 * DAY_S }), (from, seconds) => {
        const header = new Date(from.getTime() + seconds * 1_000).toUTCString();
        const read = parseRetryAfter(header, from)!;
        // The header has whole seconds.
        expect(read).toBeGreaterThanOrEqual(Math.max(0, seconds - 1));
        expect(read).toBeLessThanOrEqual(Math.max(0, seconds));
      }),
      RUNS,
    );
    expect(parseRetryAfter('Mon, 02 Mar 2026 14:05:19 GMT', at)).toBeCloseTo(9.88, 3);
    expect(parseRetryAfter('Mon, 02 Mar 2026 14:05:09 GMT', at)).toBe(0);
  });

  it.each([
    ...words('-1 +5 1.5 1e3 0x10 ５ 12345678901 soon NaN Infinity 2026-03-02T14:05:19Z'),
    ...['', ' ', '120, 60', '5\n6', 'Mon, 02 Mar 2026 14:05:19', 'Mon, 02 Mar 2026 14:05:19 EST'],
    ...['Mon, 32 Mar 2026 14:05:19 GMT', 'Mon, 02 Xyz 2026 14:05:19 GMT', 'Mon, 02 Mar 2026 25:05:19 GMT'],
    ...['Monday, 02-Mar-26 14:05:19 GMT', 'Mon Mar  2 14:05:19 2026', undefined],
  ])('%j has no effect', (header) => {
    expect(parseRetryAfter(header, at)).toBeUndefined();
  });

  it('never leads to an attempt that is sooner than the schedule or later than a day, whatever it is', () => {
    const headers = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[0-9.,:+ eGMT-]{0,30}$/),
      fc.nat().map(String),
      fc.date({ noInvalidDate: false }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(headers, failures, times, randoms, (header, failed, from, random) => {
        const seconds = gap(failed, parseRetryAfter(header, from), random, from);
        const scheduled = DELAYS_S[failed - 1]! * (1 + JITTER * random);
        expect(seconds).toBeGreaterThanOrEqual(scheduled - 0.001);
        expect(seconds).toBeLessThanOrEqual(Math.max(scheduled, DAY_S) + 0.001);
      }),
      RUNS,
    );
  });
});
