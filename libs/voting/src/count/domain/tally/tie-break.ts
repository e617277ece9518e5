import { createHash } from 'node:crypto';

/** The break of a tie: the latest earlier round in which the options differ, or a draw. */
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

/** Places among options: equal ones share a place, and the place of one that has more is higher. */
type Places = ReadonlyMap<string, number>;

/** Returns the options with the largest, or the smallest, weight. */
export function extremesOf(
  options: readonly string[],
  wanted: 'most' | 'least',
  counts: RoundCounts | Places,
): readonly string[] {
  const values = options.map((option) => counts.get(option)!);
  const extreme = values.reduce((one, other) => ((wanted === 'most') === one > other ? one : other));
  return options.filter((_, index) => values[index] === extreme);
}

/** The rounds that are over, as far as they break ties. */
export class PastRounds {
  /** Places in each round. */
  private readonly rounds: Places[] = [];
  /** Places in the latest round; options that had the same there, by the rounds before it. */
  private standing: Places = new Map();

  add(counts: RoundCounts): void {
    const round = placesOf(counts, (one, other) => compare(counts.get(one)!, counts.get(other)!));
    const before = this.standing;
    const earlier = (option: string): number => before.get(option) ?? 0;
    this.rounds.push(round);
    this.standing = placesOf(
      counts,
      (one, other) => compare(round.get(one)!, round.get(other)!) || compare(earlier(one), earlier(other)),
    );
  }

  /**
   * Chooses one of options that have the same: the one that had most (or least) in the latest round in which they differed,
   * those that remain equal compared in the rounds before; else the one that a draw names.
   */
  breakTie(
    among: readonly string[],
    wanted: 'most' | 'least',
    draw: (options: readonly string[]) => string,
  ): TieBreak {
    const left = this.rounds.length > 0 ? extremesOf(among, wanted, this.standing) : among;
    if (left.length > 1) return { among, chosen: draw(left) };
    const chosen = left[0]!;
    const others = among.filter((option) => option !== chosen);
    const [closest] = extremesOf(others, wanted, this.standing);
    // The others differ from the chosen one in the same round or in a later one.
    const round = this.rounds.findLastIndex((places) => places.get(chosen) !== places.get(closest!)) + 1;
    return { among, chosen, round };
  }
}

function placesOf(counts: RoundCounts, order: (one: string, other: string) => number): Places {
  const places = new Map<string, number>();
  let before: string | undefined;
  let place = 0;
  for (const option of [...counts.keys()].sort(order)) {
    if (before !== undefined && order(before, option) !== 0) place++;
    places.set(option, place);
    before = option;
  }
  return places;
}

/** Orders ascending. */
export function compare<T extends bigint | number>(one: T, other: T): number {
  return one < other ? -1 : Number(one > other);
}
