const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Age at which an email that was not delivered is given up, as an interval of PostgreSQL. */
export const LONGEST_TRIED = '3 days';

/** Seconds from a failed attempt to the next one. The last delay repeats until the email is given up (`LONGEST_TRIED`). */
export const DELAYS_S = [
  MINUTE_S,
  5 * MINUTE_S,
  15 * MINUTE_S,
  30 * MINUTE_S,
  HOUR_S,
  2 * HOUR_S,
  4 * HOUR_S,
] as const;

/** Maximum share of a delay that is added at random, because messages that failed together must not retry together. */
export const JITTER = 0.1;

/**
 * @param failed number of failed attempts, including this one
 * @param random from 0 to 1
 * @returns seconds until the next one
 */
export function retryDelay(failed: number, random: number): number {
  const delay = DELAYS_S[Math.min(failed, DELAYS_S.length) - 1]!;
  return Math.round(delay * (1 + JITTER * random));
}
