/** Weights are whole numbers of ten-thousandths: exact, whatever is added up. */
export type Weight = bigint;

/** Of them, in a weight of 1. */
export const UNITS = 10_000n;

/** @param text a decimal number with at most four decimals, as PostgreSQL writes it */
export function weightOf(text: string): Weight {
  const [whole = '0', decimals = ''] = text.split('.');
  return BigInt(whole) * UNITS + BigInt(decimals.padEnd(4, '0'));
}
