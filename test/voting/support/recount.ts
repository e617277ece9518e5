import { createHash } from 'node:crypto';

/**
 * A naive count, written from the contract and not from the tally: one ballot at a time, each with its own value as a
 * fraction in lowest terms. Slow, and easy to believe.
 */

/** A fraction. */
type Q = readonly [numerator: bigint, denominator: bigint];

const ZERO: Q = [0n, 1n];
const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : divisor(b, a % b));
const q = (n: bigint, d = 1n): Q => {
  const common = divisor(n, d) || 1n;
  return [n / common, d / common];
};
const plus = (a: Q, b: Q): Q => q(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
const minus = (a: Q, b: Q): Q => q(a[0] * b[1] - b[0] * a[1], a[1] * b[1]);
const times = (a: Q, b: Q): Q => q(a[0] * b[0], a[1] * b[1]);
const over = (a: Q, b: Q): Q => q(a[0] * b[1], a[1] * b[0]);
const order = (a: Q, b: Q): number => {
  const difference = a[0] * b[1] - b[0] * a[1];
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};
const sumOf = (values: Iterable<Q>): Q => [...values].reduce(plus, ZERO);

/** A ballot with its choices from the most wanted on, and its weight as a decimal number. */
export interface NaiveBallot {
  readonly choices: readonly string[];
  readonly weight: string;
}

/** Ten-thousandths. */
function units(weight: string): bigint {
  const [whole, rest = ''] = weight.split('.');
  return BigInt(whole! + rest.padEnd(4, '0'));
}

export interface NaiveRound {
  readonly threshold: Q;
  readonly counts: ReadonlyMap<string, Q>;
  readonly elected: readonly string[];
  readonly eliminated?: string;
  readonly exhausted: Q;
}

interface Paper {
  readonly choices: readonly string[];
  value: Q;
  at: number;
}

/** The rounds of a ranked count. */
export function recount(
  options: readonly string[],
  seats: number,
  ballots: readonly NaiveBallot[],
  draw: { seed: string; id: string },
): NaiveRound[] {
  const papers: Paper[] = ballots
    .filter(({ choices }) => choices.length > 0)
    .map(({ choices, weight }) => ({ choices, value: q(units(weight), 10_000n), at: 0 }));
  if (papers.length === 0) return [];
  let unit = q(1n);
  for (const { value } of papers) while (over(value, unit)[1] !== 1n) unit = times(unit, [1n, 10n]);
  const total = sumOf(papers.map(({ value }) => value));
  const more = (whole: Q, parts: bigint): Q => {
    const share = over(whole, times(unit, [parts, 1n]));
    return times(unit, [share[0] / share[1] + 1n, 1n]);
  };
  const out = new Set<string>();
  const elected: string[] = [];
  const surplus = new Set<string>();
  const settled = new Set<string>();
  const rounds: NaiveRound[] = [];
  const holder = ({ choices, at }: Paper): string | undefined => choices[at];
  for (;;) {
    const quota = more(total, BigInt(seats) + 1n);
    const counts = new Map<string, Q>();
    for (const option of options) {
      if (out.has(option)) continue;
      const own = papers.filter((paper) => holder(paper) === option).map(({ value }) => value);
      counts.set(option, settled.has(option) ? quota : sumOf(own));
    }
    const reaching = sumOf(counts.values());
    const threshold = seats > 1 ? quota : more(reaching, 2n);
    const hopeful = (): string[] => [...counts.keys()].filter((option) => !elected.includes(option));
    const before = elected.length;
    for (const option of hopeful()) {
      const has = order(counts.get(option)!, threshold);
      if (has >= 0) elected.push(option);
      if (has > 0) surplus.add(option);
    }
    if (hopeful().length <= seats - elected.length) elected.push(...hopeful());
    const told = { threshold, counts, elected: elected.slice(before), exhausted: minus(total, reaching) };
    if (elected.length >= seats || hopeful().length === 0) return [...rounds, told];
    const isSurplus = surplus.size > 0;
    const chosen = pick(isSurplus ? [...surplus] : hopeful(), isSurplus ? 1 : -1, counts, rounds, draw);
    rounds.push(isSurplus ? told : { ...told, eliminated: chosen });
    if (isSurplus) {
      const has = counts.get(chosen)!;
      for (const paper of papers)
        if (holder(paper) === chosen) paper.value = times(paper.value, over(minus(has, quota), has));
      surplus.delete(chosen);
      settled.add(chosen);
    } else out.add(chosen);
    for (const paper of papers) {
      if (holder(paper) !== chosen) continue;
      do paper.at++;
      while (holder(paper) !== undefined && (out.has(holder(paper)!) || elected.includes(holder(paper)!)));
    }
  }
}

/** The one with most (1) or least (-1): by this round, then by earlier ones from the last on, then by a draw. */
function pick(
  candidates: readonly string[],
  sign: 1 | -1,
  counts: ReadonlyMap<string, Q>,
  earlier: readonly NaiveRound[],
  { seed, id }: { seed: string; id: string },
): string {
  let left = [...candidates];
  for (const one of [counts, ...earlier.map((round) => round.counts).toReversed()]) {
    const best = left.map((option) => one.get(option)!).reduce((a, b) => (sign * order(a, b) >= 0 ? a : b));
    left = left.filter((option) => order(one.get(option)!, best) === 0);
    if (left.length === 1) return left[0]!;
  }
  const digest = (option: string): string =>
    createHash('sha256')
      .update(`${seed}:${id}:${earlier.length + 1}:${option}`)
      .digest('hex');
  return left.reduce((a, b) => (digest(a) < digest(b) ? a : b));
}

/** A number with six decimals, rounded half up. */
export function decimal([n, d]: Q): number {
  return Number((2n * n * 1_000_000n + d) / (2n * d)) / 1_000_000;
}
