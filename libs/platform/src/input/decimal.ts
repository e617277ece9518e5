/** A decimal number with four places, as a whole number of ten-thousandths: sums are exact. */
export type Decimal = bigint;

/** Ten-thousandths in 1. */
export const UNITS = 10_000n;

/** Reads a decimal number with at most four places, as PostgreSQL writes it. */
export function decimalOf(text: string): Decimal {
  const [whole = '0', decimals = ''] = text.split('.');
  return BigInt(whole) * UNITS + BigInt(decimals.padEnd(4, '0'));
}
