import { say } from './progress';

/** A contestant of a work. `run` does the work once and returns a speed or a time. */
export interface Contestant {
  readonly name: string;
  readonly run: () => Promise<number>;
}

/** A contestant's figures, one for each round. */
export interface Figures {
  readonly name: string;
  readonly values: readonly number[];
}

/**
 * Lets the contestants alternate, because other load on the machine must affect all of them. Each round begins with
 * another contestant.
 *
 * @param before untimed preparation before each contestant's turn
 * @param uncounted number of rounds before the counted ones
 */
export async function inTurns<One extends Contestant>(
  work: string,
  contestants: readonly One[],
  rounds: number,
  show: (value: number) => string,
  before?: (contestant: One) => Promise<void>,
  uncounted = 0,
): Promise<Figures[]> {
  const values = contestants.map((): number[] => []);
  for (let round = 0; round < uncounted + rounds; round++) {
    const isCounted = round >= uncounted;
    const title = isCounted ? `round ${round + 1 - uncounted} of ${rounds}` : 'not counted';
    for (let turn = 0; turn < contestants.length; turn++) {
      const index = (round + turn) % contestants.length;
      const contestant = contestants[index]!;
      await before?.(contestant);
      const value = await contestant.run();
      if (isCounted) values[index]!.push(value);
      say(`${work}: ${title}, ${contestant.name}: ${show(value)}`);
    }
  }
  return contestants.map(({ name }, index) => ({ name, values: values[index]! }));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** The ratio of each round. */
export function ratios(one: Figures, other: Figures): number[] {
  return one.values.map((value, round) => value / other.values[round]!);
}

/** Returns the median of the rounds' ratios, because a slow moment of the machine slows both figures of its round. */
export function ratio(one: Figures, other: Figures): number {
  return median(ratios(one, other));
}

/**
 * Returns the 95 % confidence interval of the median, for any distribution (sign test): the values without the k lowest
 * and the k highest, where k is the largest number with P(X ≤ k) ≤ 2.5 % for a binomial X of n values and probability ½.
 * k is 1 for 9 values and 3 for 15.
 *
 * @throws RangeError for fewer than six values, which have no such interval
 */
export function interval(values: readonly number[]): [low: number, high: number] {
  const count = values.length;
  let k = -1;
  for (let one = 0.5 ** count, sum = one; sum <= 0.025; sum += one) {
    k++;
    one *= (count - k) / (k + 1);
  }
  if (k < 0) throw new RangeError(`${count} values are too few.`);
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[k]!, sorted[count - 1 - k]!];
}
