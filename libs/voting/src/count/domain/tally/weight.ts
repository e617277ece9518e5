import { type Decimal, decimalOf, UNITS } from '#platform/input/decimal';

export { decimalOf as weightOf, UNITS };

/** A weight of votes, as a whole number of ten-thousandths. */
export type Weight = Decimal;

/** The decimal place that a weight is written to, as a weight: 1 of a whole number, 0.01 of 2.25. */
export function unitOf(weight: Weight): Weight {
  let unit = UNITS;
  while (weight % unit !== 0n) unit /= 10n;
  return unit;
}

/** The number, exact, as JSON has it. */
export function weightText(weight: Weight): string {
  return fractionText(weight, UNITS, 4);
}

/** A fraction that is not negative as a decimal number, rounded half up; without zeros at its end. */
export function fractionText(numerator: bigint, denominator: bigint, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const rounded = (2n * numerator * scale + denominator) / (2n * denominator);
  const rest = (rounded % scale).toString().padStart(decimals, '0').replace(/0+$/, '');
  return `${rounded / scale}${rest && `.${rest}`}`;
}

/** The share of a whole, from 0 to 100 with two decimals; 0 of nothing. */
export function percentText(part: bigint, whole: bigint): string {
  return whole === 0n ? '0' : fractionText(part * 100n, whole, 2);
}
