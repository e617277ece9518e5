/** Weights are whole numbers of this part of 1. */
const DECIMALS = 4;

/** Reads a weight in ten-thousandths. Returns undefined for a text that is not written as `weightText` does. */
export function weightOf(text: string): bigint | undefined {
  const match = /^(0|[1-9]\d{0,20})(?:\.(\d{0,3}[1-9]))?$/.exec(text);
  if (!match) return undefined;
  return BigInt(match[1]! + (match[2] ?? '').padEnd(DECIMALS, '0'));
}

export function weightText(units: bigint): string {
  const digits = units.toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -DECIMALS) + (decimals && `.${decimals}`);
}

export function greatestDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : greatestDivisor(other, one % other);
}
