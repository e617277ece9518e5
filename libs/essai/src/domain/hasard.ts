import { hash } from 'node:crypto';

/**
 * Random numbers of a seed: the same for the same seed and name on every machine. Each name has a sequence of its own, so a record
 * does not depend on the number of records before it. The generator is sfc32 (PractRand).
 */
export class Hasard {
  private a: number;
  private b: number;
  private c: number;
  private counter: number;

  constructor(graine: string, name: string) {
    const state = hash('sha256', `${name}\n${graine}`, 'buffer');
    this.a = state.readInt32LE(0);
    this.b = state.readInt32LE(4);
    this.c = state.readInt32LE(8);
    this.counter = state.readInt32LE(12);
  }

  /** Returns an integer from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** Returns true with a probability from 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns `count` of the numbers from 0 to `total - 1`, in random order. */
  some(count: number, total: number): number[] {
    // The beginning of a shuffle (Fisher and Yates) that keeps only the places that have moved.
    const moved = new Map<number, number>();
    return Array.from({ length: count }, (_, place) => {
      const other = place + this.below(total - place);
      const chosen = moved.get(other) ?? other;
      moved.set(other, moved.get(place) ?? place);
      return chosen;
    });
  }

  /** Returns a number from 0, below 1. */
  private next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }
}
