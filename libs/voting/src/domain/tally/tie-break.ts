import { createHash } from 'node:crypto';

/** How a tie was broken: by the latest earlier round that tells them apart, or by a draw. */
export interface TieBreak {
  readonly among: readonly string[];
  readonly chosen: string;
  /** The earlier round that decided; undefined where the draw did. */
  readonly round?: number;
}

/** The option that a draw names: the first by the digest of the seed, what is drawn for, and the option. */
export function drawn(seed: string, purpose: string, options: readonly string[]): string {
  const digest = (option: string): string =>
    createHash('sha256').update(`${seed}:${purpose}:${option}`).digest('hex');
  return options
    .map((option) => ({ option, digest: digest(option) }))
    .reduce((one, other) => (one.digest < other.digest ? one : other)).option;
}

/** How much each option had in a round, in whatever unit that round counted. */
export type RoundCounts = ReadonlyMap<string, bigint>;

/** Those of the options that have most, or least. */
export function extremesOf(
  options: readonly string[],
  wanted: 'most' | 'least',
  counts: RoundCounts,
): readonly string[] {
  const values = options.map((option) => counts.get(option)!);
  const extreme = values.reduce((one, other) => ((wanted === 'most') === one > other ? one : other));
  return options.filter((_, index) => values[index] === extreme);
}

/**
 * Chooses one of options that have the same: the one that had most (or least) in the latest round in which they differed,
 * those that remain equal looked at in the rounds before; else the one that a draw names.
 */
export function breakTie(
  among: readonly string[],
  wanted: 'most' | 'least',
  earlier: readonly RoundCounts[],
  draw: (options: readonly string[]) => string,
): TieBreak {
  let left = among;
  for (let round = earlier.length; round > 0; round--) {
    left = extremesOf(left, wanted, earlier[round - 1]!);
    if (left.length === 1) return { among, chosen: left[0]!, round };
  }
  return { among, chosen: draw(left) };
}
