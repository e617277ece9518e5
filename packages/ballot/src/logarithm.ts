import { base64url } from './bytes.js';
import { type Group } from './group.js';

/** The largest sum that is found: about 2^21 additions. */
export const MOST_TRIED = 2n ** 40n;

/** The greatest number of points that are kept. */
const MOST_STEPS = 2n ** 20n;

/**
 * Finds the numbers v of points v·B by Shanks's baby steps and giant steps.
 * @param most the largest of them
 * @param count how many are to be found
 * @throws RangeError if `most` is above `MOST_TRIED`
 */
export class Logarithms<P> {
  private readonly steps = new Map<string, bigint>();
  private readonly width: bigint;
  private readonly giant: P;

  constructor(
    private readonly group: Group<P>,
    most: bigint,
    count: number,
  ) {
    if (most > MOST_TRIED)
      throw new RangeError(`A sum of up to ${most} units cannot be found; the limit is ${MOST_TRIED}.`);
    this.width = least(MOST_STEPS, root((most + 1n) * BigInt(Math.max(1, count))), most + 1n);
    let point = group.identity;
    for (let v = 0n; v < this.width; v++, point = group.add(point, group.base))
      this.steps.set(this.nameOf(point), v);
    this.giant = point;
  }

  /** Returns v from 0 to `most` with `point` = vB, or undefined. */
  find(point: P, most: bigint): bigint | undefined {
    let rest = point;
    for (let start = 0n; start <= most; start += this.width) {
      const step = this.steps.get(this.nameOf(rest));
      if (step !== undefined) return start + step <= most ? start + step : undefined;
      rest = this.group.subtract(rest, this.giant);
    }
    return undefined;
  }

  private nameOf(point: P): string {
    return base64url(this.group.encode(point));
  }
}

const least = (...numbers: readonly bigint[]): bigint =>
  numbers.reduce((one, other) => (one < other ? one : other));

/** Returns the square root, rounded up. */
function root(n: bigint): bigint {
  const near = BigInt(Math.ceil(Math.sqrt(Number(n))));
  return near * near < n ? near + 1n : near;
}
