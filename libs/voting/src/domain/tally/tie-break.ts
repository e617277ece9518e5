import { createHash } from 'node:crypto';

/** How a tie was broken: by the latest earlier round that tells them apart, or by a draw. */
export interface TieBreak {
  readonly among: readonly string[];
  readonly chosen: string;
  /** The earlier round that decided; undefined where the draw did. */
  readonly round?: number;
}

/** The order in which a draw names options: that of the digests of the seed, what is drawn for, and the option. */
export function drawn(seed: string, purpose: string, options: readonly string[]): string[] {
  const digest = (option: string): string =>
    createHash('sha256').update(`${seed}:${purpose}:${option}`).digest('hex');
  return options
    .map((option) => ({ option, digest: digest(option) }))
    .sort((one, other) => (one.digest < other.digest ? -1 : 1))
    .map(({ option }) => option);
}

/** How much each option had in a round, in whatever unit that round counted. */
export type RoundCounts = ReadonlyMap<string, bigint>;

/**
 * Chooses one of options that have the same: the one that had most (or least) in the latest round in which they differed,
 * those that remain equal looked at in the rounds before; else the first that a draw names.
 */
export function breakTie(
  among: readonly string[],
  wanted: 'most' | 'least',
  earlier: readonly RoundCounts[],
  draw: (options: readonly string[]) => readonly string[],
): TieBreak {
  let left = among;
  for (let round = earlier.length; round > 0; round--) {
    const counts = earlier[round - 1]!;
    const values = left.map((option) => counts.get(option)!);
    const best = values.reduce((one, other) => ((wanted === 'most') === one > other ? one : other));
    left = left.filter((_, index) => values[index] === best);
    if (left.length === 1) return { among, chosen: left[0]!, round };
  }
  return { among, chosen: draw(left)[0]! };
}
