const MINUTE_S = 60;
const HOUR_S = 3_600;

/**
 * Seconds from a failed attempt to the next one (docs/contract.md, "Delivery"; Standard Webhooks, "Retry schedule").
 */
export const DELAYS_S = [
  5,
  5 * MINUTE_S,
  30 * MINUTE_S,
  2 * HOUR_S,
  5 * HOUR_S,
  10 * HOUR_S,
  14 * HOUR_S,
  20 * HOUR_S,
  24 * HOUR_S,
] as const;

/** Maximum attempts of a delivery. */
export const ATTEMPTS = DELAYS_S.length + 1;

/** Maximum share of a delay that is added at random, because deliveries that failed together must not retry together. */
export const JITTER = 0.1;

/** Maximum delay that a receiver can request. */
const LONGEST_RETRY_AFTER_S = 24 * HOUR_S;

/**
 * Returns the time of the next attempt after a failure; undefined after the last attempt.
 *
 * @param failed number of failed attempts, including this one
 * @param at end of this attempt
 * @param retryAfterS minimum delay that the receiver requested, in seconds; at most a day counts
 * @param random from 0 to 1
 */
export function nextAttempt(
  failed: number,
  at: Date,
  retryAfterS: number | undefined,
  random: number,
): Date | undefined {
  const delay = DELAYS_S[failed - 1];
  if (delay === undefined) return undefined;
  const asked = Math.min(retryAfterS ?? 0, LONGEST_RETRY_AFTER_S);
  const seconds = Math.max(delay * (1 + JITTER * random), asked);
  return new Date(at.getTime() + Math.round(seconds * 1_000));
}

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
 *
 * @returns seconds from `at`, or undefined if the value is neither
 */
export function parseRetryAfter(header: string | undefined, at: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text);
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - at.getTime()) / 1_000);
}
