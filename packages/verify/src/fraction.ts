/** Denominators with more bits are cut: each transferred surplus can double the digits. */
const MOST_BITS = 4_096n;
const KEPT_BITS = 2_048n;
/** Fractions that differ by less than 2^-1024 are equal after a cut. */
const TOLERANCE_BITS = 1_024n;
const LIMIT = 1n << MOST_BITS;

function divisorOf(one: bigint, other: bigint): bigint {
  while (other !== 0n) [one, other] = [other, one % other];
  return one;
}

/** Whether a fraction of the present count was cut. */
let isCut = false;

/** Begins a count. */
export const beginExact = (): void => {
  isCut = false;
};
export const wasCut = (): boolean => isCut;

/** A fraction that is not negative. */
export class Fraction {
  private constructor(
    readonly over: bigint,
    readonly under: bigint,
  ) {}

  static of(over: bigint, under = 1n): Fraction {
    const divisor = divisorOf(over, under);
    const [top, bottom] = [over / divisor, under / divisor];
    if (bottom < LIMIT) return new Fraction(top, bottom);
    isCut = true;
    return new Fraction((top << KEPT_BITS) / bottom, 1n << KEPT_BITS);
  }

  plus(other: Fraction): Fraction {
    return this.under === other.under
      ? Fraction.of(this.over + other.over, this.under)
      : Fraction.of(this.over * other.under + other.over * this.under, this.under * other.under);
  }

  minus(other: Fraction): Fraction {
    return Fraction.of(this.over * other.under - other.over * this.under, this.under * other.under);
  }

  times(other: Fraction): Fraction {
    return Fraction.of(this.over * other.over, this.under * other.under);
  }

  dividedBy(other: Fraction): Fraction {
    return Fraction.of(this.over * other.under, this.under * other.over);
  }

  /** Whether both have the same digits. */
  isSame(other: Fraction): boolean {
    return this.over === other.over && this.under === other.under;
  }

  /** Below 0, 0 or above 0, as this is less than, equal to or more than the other one. */
  compare(other: Fraction): number {
    const difference = this.over * other.under - other.over * this.under;
    if (difference === 0n) return 0;
    if (isCut) {
      const size = difference < 0n ? -difference : difference;
      if (size << TOLERANCE_BITS < this.under * other.under) return 0;
    }
    return difference < 0n ? -1 : 1;
  }

  /** The nearest whole number of parts of which `parts` are 1, half up. */
  rounded(parts: bigint): bigint {
    return (2n * this.over * parts + this.under) / (2n * this.under);
  }

  /** The whole part. */
  floor(): bigint {
    return this.over / this.under;
  }
}

/** Returns a decimal of which `10 ** decimals` parts are 1, without zeros at its end. */
export function decimalOf(parts: bigint, decimals: number): string {
  const digits = parts.toString().padStart(decimals + 1, '0');
  const behind = digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, -decimals) + (behind === '' ? '' : `.${behind}`);
}
