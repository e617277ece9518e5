const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Seconds from an attempt that failed to the next one; the last holds until the letter is three days old. */
export const DELAYS_S = [
  MINUTE_S,
  5 * MINUTE_S,
  15 * MINUTE_S,
  30 * MINUTE_S,
  HOUR_S,
  2 * HOUR_S,
  4 * HOUR_S,
] as const;

/** Up to this share of a delay is added to it, so that messages that failed together are not retried together. */
export const JITTER = 0.1;

/**
 * @param failed attempts that have failed, this one included
 * @param random from 0 to 1
 * @returns seconds until the next one
 */
export function retryDelay(failed: number, random: number): number {
  const delay = DELAYS_S[Math.min(failed, DELAYS_S.length) - 1]!;
  return Math.round(delay * (1 + JITTER * random));
}
