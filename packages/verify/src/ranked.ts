import { beginExact, Fraction, wasCut } from './fraction.js';

/** Equal rankings and the sum of their weights, in ten-thousandths. */
export interface Ranking {
  readonly options: readonly number[];
  readonly weight: bigint;
}

export interface Tie {
  readonly among: readonly number[];
  readonly chosen: number;
  /** The earlier round that decided; null for a draw. */
  readonly round: number | null;
}

export interface Round {
  readonly threshold: Fraction;
  /** Weights of the options that are not eliminated. */
  readonly weights: ReadonlyMap<number, Fraction>;
  readonly elected: readonly number[];
  readonly exhausted: Fraction;
  readonly eliminated?: number;
  readonly transfer?: {
    readonly from: number;
    readonly to: ReadonlyMap<number, Fraction>;
    readonly exhausted: Fraction;
  };
  readonly tie?: Tie;
}

export interface Count {
  readonly rounds: readonly Round[];
  /** Whether digits were cut. Equal then means equal to 1,024 bits. */
  readonly isCut: boolean;
  /** The options at which the ballots of each ranking rested, in the order of the rankings. */
  readonly rests: readonly (readonly number[])[];
}

/** Ballots of a ranking, which rest at the option `ranking.options[place]`. */
interface Paper {
  readonly ranking: Ranking;
  readonly rests: number[];
  place: number;
}

/** Ballots at an option that have passed through the same surpluses: each counts its weight times the value. */
interface Pile {
  readonly value: Fraction;
  readonly papers: Paper[];
}

const NOTHING = Fraction.of(0n);

/** `Map.groupBy`, which Node 20 does not have. */
function grouped<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Counts rankings by the rules of docs/verification.md, with exact fractions. `unit` is the finest weight, in
 * ten-thousandths. `draw` chooses one of several options in a round.
 */
export function countRanked(
  options: number,
  seats: number,
  unit: bigint,
  rankings: readonly Ranking[],
  draw: (round: number, among: readonly number[]) => number,
): Count {
  beginExact();
  const papers: Paper[] = rankings.map((ranking) => ({ ranking, place: 0, rests: [ranking.options[0]!] }));
  const piles = Array.from({ length: options }, (): Pile[] => []);
  const open = new Set(Array.from({ length: options }, (_, option) => option));
  const weights = new Map<number, Fraction>([...open].map((option) => [option, NOTHING]));
  for (const [option, those] of grouped(papers, ({ rests }) => rests[0]!)) {
    piles[option]!.push({ value: Fraction.of(1n), papers: those });
    weights.set(option, Fraction.of(those.reduce((sum, { ranking }) => sum + ranking.weight, 0n)));
  }
  const total = rankings.reduce((sum, { weight }) => sum + weight, 0n);
  const rounds: Round[] = [];
  const pending: number[] = [];
  let exhausted = NOTHING;
  let left = seats;

  const byWeight = (one: number, other: number): number =>
    weights.get(other)!.compare(weights.get(one)!) || one - other;

  /** Moves all ballots of an option on, each with the factor of its value. */
  const transfer = (from: number, factor: Fraction): NonNullable<Round['transfer']> => {
    const to = new Map<number, Fraction>();
    let lost = NOTHING;
    for (const pile of piles[from]!) {
      const value = pile.value.times(factor);
      const moved = grouped(pile.papers, (paper) => {
        const { options: wanted } = paper.ranking;
        do paper.place++;
        while (paper.place < wanted.length && !open.has(wanted[paper.place]!));
        return wanted[paper.place];
      });
      for (const [option, those] of moved) {
        const sum = value.times(Fraction.of(those.reduce((all, { ranking }) => all + ranking.weight, 0n)));
        if (option === undefined) lost = lost.plus(sum);
        else {
          for (const paper of those) paper.rests.push(option);
          const same = piles[option]!.find((other) => other.value.isSame(value));
          if (same) for (const paper of those) same.papers.push(paper);
          else piles[option]!.push({ value, papers: those });
          to.set(option, (to.get(option) ?? NOTHING).plus(sum));
        }
      }
    }
    piles[from] = [];
    for (const [option, sum] of to) weights.set(option, weights.get(option)!.plus(sum));
    exhausted = exhausted.plus(lost);
    return { from, to, exhausted: lost };
  };

  const fixed = Fraction.of((total / (unit * BigInt(seats + 1)) + 1n) * unit);
  while (total > 0n) {
    const active = Fraction.of(total).minus(exhausted).floor();
    const threshold = seats === 1 ? Fraction.of((active / (2n * unit) + 1n) * unit) : fixed;
    const elected = [...open].filter((option) => weights.get(option)!.compare(threshold) >= 0);
    if (open.size - elected.length <= left - elected.length)
      for (const option of open) if (!elected.includes(option)) elected.push(option);
    elected.sort(byWeight);
    for (const option of elected) {
      open.delete(option);
      if (weights.get(option)!.compare(threshold) > 0) pending.push(option);
    }
    left -= elected.length;
    const round = { threshold, weights: new Map(weights), elected, exhausted };
    if (left <= 0 || open.size === 0) {
      rounds.push(round);
      break;
    }
    const isSurplus = pending.length > 0;
    const { chosen, tie } = extremeOf(isSurplus ? pending : [...open], weights, rounds, isSurplus, draw);
    if (isSurplus) {
      pending.splice(pending.indexOf(chosen), 1);
      const weight = weights.get(chosen)!;
      const moved = transfer(chosen, weight.minus(threshold).dividedBy(weight));
      weights.set(chosen, threshold);
      rounds.push({ ...round, transfer: moved, ...tie });
    } else {
      open.delete(chosen);
      const moved = transfer(chosen, Fraction.of(1n));
      weights.delete(chosen);
      rounds.push({ ...round, eliminated: chosen, transfer: moved, ...tie });
    }
  }
  return { rounds, isCut: wasCut(), rests: papers.map(({ rests }) => rests) };
}

/** Returns the option with most or least weight. Earlier rounds decide between equal ones, then a draw. */
function extremeOf(
  candidates: readonly number[],
  weights: ReadonlyMap<number, Fraction>,
  earlier: readonly Round[],
  isMost: boolean,
  draw: (round: number, among: readonly number[]) => number,
): { chosen: number; tie?: { tie: Tie } } {
  const best = (among: readonly number[], of: ReadonlyMap<number, Fraction>): number[] => {
    let kept: number[] = [];
    for (const option of among) {
      const order = kept.length === 0 ? 0 : of.get(option)!.compare(of.get(kept[0]!)!);
      if (order === 0) kept.push(option);
      else if (order > 0 === isMost) kept = [option];
    }
    return kept;
  };
  const among = best(candidates, weights).sort((one, other) => one - other);
  if (among.length === 1) return { chosen: among[0]! };
  let kept = among;
  for (let round = earlier.length; round > 0; round--) {
    kept = best(kept, earlier[round - 1]!.weights);
    if (kept.length === 1) return { chosen: kept[0]!, tie: { tie: { among, chosen: kept[0]!, round } } };
  }
  const chosen = draw(earlier.length + 1, kept);
  return { chosen, tie: { tie: { among, chosen, round: null } } };
}
