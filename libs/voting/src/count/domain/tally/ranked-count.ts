import { fractionText, UNITS, type Weight } from './weight';
import { compare, drawn, extremesOf, PastRounds, type RoundCounts, type TieBreak } from './tie-break';

/** Ballots with the same ranking, together. */
export interface RankedBallots {
  /** Options from the most wanted on, each once; read once. */
  readonly ranking: Iterable<string>;
  /** Total weight. */
  readonly weight: Weight;
  /** The finest `unitOf` a single one of them: a sum of halves may be whole. */
  readonly unit: Weight;
}

/** A round of a ranked count. */
export interface Round {
  /** From 1. */
  readonly number: number;
  /** Weight that elects. */
  readonly threshold: string;
  /**
   * Weight of each option that is not eliminated; options whose weight rounds to 0 are omitted. An elected option keeps the
   * threshold after its surplus was transferred.
   */
  readonly counts: readonly { readonly option: string; readonly weight: string }[];
  readonly elected: readonly string[];
  /** Eliminated option; its ballots transfer to the next round. */
  readonly eliminated: readonly string[];
  /** Weight that reaches no option any more. */
  readonly exhausted: string;
  readonly tie?: TieBreak;
  /** Ballots that transfer after this round: those of a surplus or of the eliminated option. */
  readonly transfer?: Transfer;
  /** Whether no digit of the counts was cut so far. */
  readonly isExact: boolean;
}

/** Weight that leaves an option: each of it goes to one other or reaches none any more. */
export interface Transfer {
  readonly from: string;
  /** Options whose part rounds to 0 are left out. */
  readonly to: readonly { readonly option: string; readonly weight: string }[];
  readonly exhausted: string;
}

/** Parameters of a ranked count. */
export interface RankedQuestion {
  readonly options: readonly string[];
  readonly seats: number;
  /** Seed of the draws that break ties which no earlier round breaks. */
  readonly seed: string;
  /** Identifier of the question, which makes its draws independent of others. */
  readonly id: string;
}

/** A divisor of the count's common denominator. */
interface Denominator {
  readonly value: bigint;
  /** The common denominator ÷ this one. */
  factor: bigint;
}

/** A share of ballots' weights; ballots of one history share it. */
interface Share {
  numerator: bigint;
  denominator: Denominator;
}

/** Ballots that go together: they have one ranking, and so the same history. */
interface Bundle {
  /** The options behind the one that has it. */
  readonly next: Iterator<string, undefined>;
  readonly weight: Weight;
  share: Share;
}

/** A sum of shares of weights. */
class Sum {
  private readonly numerators = new Map<Denominator, bigint>();

  add(weight: Weight, { numerator, denominator }: Share): void {
    this.numerators.set(denominator, (this.numerators.get(denominator) ?? 0n) + weight * numerator);
  }

  isOver(denominator: Denominator): boolean {
    return this.numerators.size === Number(this.numerators.has(denominator));
  }

  /** Over the common denominator. */
  get total(): bigint {
    return sum([...this.numerators].map(([{ factor }, numerator]) => numerator * factor));
  }
}

/** Ballots that count for an option. */
class Pile {
  bundles: Bundle[] = [];
  private count = new Sum();
  /** Weights by their share. */
  private readonly weights = new Map<Share, Weight>();

  add(bundle: Bundle): void {
    const { weight, share } = bundle;
    this.bundles.push(bundle);
    this.count.add(weight, share);
    this.weights.set(share, (this.weights.get(share) ?? 0n) + weight);
  }

  get shares(): Iterable<Share> {
    return this.weights.keys();
  }

  /** Over the common denominator. */
  get total(): bigint {
    return this.count.total;
  }

  /** Rounds its shares down to multiples of 1 ÷ `coarse`. */
  cut(coarse: Denominator): void {
    if (this.count.isOver(coarse)) return;
    this.count = new Sum();
    for (const [share, weight] of this.weights) {
      if (share.denominator !== coarse) {
        share.numerator = (share.numerator * coarse.value) / share.denominator.value;
        share.denominator = coarse;
      }
      this.count.add(weight, share);
    }
  }
}

/** Decimals of a weight in a round. The count itself is exact: this is for readers. */
const SHOWN_DECIMALS = 6;

/**
 * Each surplus doubles the digits of exact shares. Beyond this many bits, which takes ten surpluses and more, they are cut
 * to half as many: less than 10^-2000 of a vote is lost.
 */
const MOST_BITS = 16_384;

/**
 * Counts ranked ballots: instant-runoff for one seat, the single transferable vote for several (Droop, weighted
 * inclusive Gregory; docs/contract.md, "Counting"). One option is elected or eliminated at a time, except options that
 * reach the threshold together. Surpluses are transferred before eliminations, the largest first.
 *
 * For one seat the threshold is more than half of the weight that still reaches an option; for several, floor(total ÷
 * (seats + 1)) + 1 of the first round, in the unit of the finest weight of a single ballot.
 *
 * @returns the rounds; empty if no ballot ranks an option
 */
export function countRanked(question: RankedQuestion, ballots: Iterable<RankedBallots>): Round[] {
  return new RankedCount(question, ballots).rounds();
}

class RankedCount {
  /** Ballots of each option that is not eliminated. */
  private readonly piles = new Map<string, Pile>();
  private readonly total: Weight;
  /** The smallest weight that a threshold is counted in. */
  private readonly unit: Weight;
  /** The common denominator of all shares. Most have a smaller one of their own: their numerators stay as they are. */
  private denominator = 1n;
  /** Denominators of the shares in use. */
  private denominators: Denominator[] = [{ value: 1n, factor: 1n }];
  /** That of shares whose digits were cut. */
  private readonly coarse: Denominator = { value: 1n << BigInt(MOST_BITS / 2), factor: 1n };
  private isExact = true;
  private readonly elected = new Set<string>();
  /** Elected, with a surplus that has not been given away. */
  private readonly pending = new Set<string>();
  /** Elected, and left with the threshold. */
  private readonly settled = new Set<string>();
  private readonly past = new PastRounds();

  constructor(
    private readonly question: RankedQuestion,
    ballots: Iterable<RankedBallots>,
  ) {
    for (const option of question.options) this.piles.set(option, new Pile());
    const whole: Share = { numerator: 1n, denominator: this.denominators[0]! };
    let total = 0n;
    let finest = UNITS;
    for (const { ranking, weight, unit } of ballots) {
      const next = ranking[Symbol.iterator]() as Iterator<string, undefined>;
      const first = next.next().value;
      if (first === undefined) continue;
      total += weight;
      if (unit < finest) finest = unit;
      this.piles.get(first)!.add({ next, weight, share: whole });
    }
    this.total = total;
    this.unit = finest;
  }

  rounds(): Round[] {
    const rounds: Round[] = [];
    let move: Move | undefined;
    while (this.total > 0n && (rounds.length === 0 || move)) {
      const number = rounds.length + 1;
      const counts = this.counts();
      const threshold = this.threshold(counts);
      const elected = this.elect(counts, threshold);
      const isOver = this.elected.size >= this.question.seats || this.hopeful().length === 0;
      move = isOver ? undefined : this.next(counts, number);
      const round = {
        number,
        threshold: this.shown(threshold),
        counts: this.told(counts),
        elected,
        eliminated: move && !move.isSurplus ? [move.option] : [],
        exhausted: this.shown(this.total * this.denominator - sum(counts.values())),
        ...(move?.tie ? { tie: move.tie } : {}),
        isExact: this.isExact,
      };
      this.past.add(counts);
      const transfer = move && this.make(move, counts);
      rounds.push(transfer ? { ...round, transfer } : round);
    }
    return rounds;
  }

  /** Returns the weight of each option, over the common denominator. */
  private counts(): Map<string, bigint> {
    return new Map(
      [...this.piles].map(([option, pile]) => [
        option,
        this.settled.has(option) ? this.quota * this.denominator : pile.total,
      ]),
    );
  }

  /** Returns the weight that elects one of several. */
  private get quota(): Weight {
    return (this.total / (this.unit * BigInt(this.question.seats + 1)) + 1n) * this.unit;
  }

  private threshold(counts: RoundCounts): bigint {
    if (this.question.seats > 1) return this.quota * this.denominator;
    // Nothing is given away where one is elected: the denominator is 1.
    return (sum(counts.values()) / (2n * this.unit) + 1n) * this.unit;
  }

  private hopeful(): string[] {
    return [...this.piles.keys()].filter((option) => !this.elected.has(option));
  }

  /** Elects those whom this round elects. @returns them, the one with most first */
  private elect(counts: RoundCounts, threshold: bigint): string[] {
    const byCount = this.hopeful().sort((one, other) => compare(counts.get(other)!, counts.get(one)!));
    const reached = byCount.filter((option) => counts.get(option)! >= threshold);
    for (const option of reached) {
      this.elected.add(option);
      if (counts.get(option)! > threshold) this.pending.add(option);
    }
    // As many as there are seats left need no threshold.
    if (byCount.length - reached.length > this.question.seats - this.elected.size) return reached;
    for (const option of byCount) this.elected.add(option);
    return byCount;
  }

  /** Transfers the largest surplus; without a surplus, eliminates the option with the least weight. */
  private next(counts: RoundCounts, round: number): Move {
    const isSurplus = this.pending.size > 0;
    const wanted = isSurplus ? 'most' : 'least';
    const able = isSurplus
      ? [...this.piles.keys()].filter((option) => this.pending.has(option))
      : this.hopeful();
    const among = extremesOf(able, wanted, counts);
    if (among.length === 1) return { option: among[0]!, isSurplus };
    const draw = (options: readonly string[]): string =>
      drawn(this.question.seed, `${this.question.id}:${round}`, options);
    const tie = this.past.breakTie(among, wanted, draw);
    return { option: tie.chosen, isSurplus, tie };
  }

  private make({ option, isSurplus }: Move, counts: RoundCounts): Transfer {
    const given = isSurplus ? this.giveSurplus(option, counts.get(option)!) : this.eliminate(option);
    const transfer = {
      from: option,
      to: this.told(given.options),
      exhausted: this.shown(given.exhausted),
    };
    this.cut();
    return transfer;
  }

  private eliminate(option: string): Given {
    const { bundles } = this.piles.get(option)!;
    this.piles.delete(option);
    return this.handOn(bundles);
  }

  /** Transfers each ballot of the elected option with the surplus's part of its value. The threshold stays. */
  private giveSurplus(option: string, count: bigint): Given {
    const pile = this.piles.get(option)!;
    const [part, whole] = reduced(count - this.quota * this.denominator, count);
    const finer = new Map(
      this.denominators.map((one) => [one, { value: one.value * whole, factor: one.factor }]),
    );
    const given = new Map<Share, Share>();
    for (const share of pile.shares) {
      const denominator = finer.get(share.denominator)!;
      given.set(share, { numerator: share.numerator * part, denominator });
    }
    for (const bundle of pile.bundles) bundle.share = given.get(bundle.share)!;
    this.pending.delete(option);
    this.settled.add(option);
    this.piles.set(option, new Pile());
    for (const one of this.denominators) one.factor *= whole;
    this.denominators.push(...new Set([...given.values()].map(({ denominator }) => denominator)));
    this.denominator *= whole;
    return this.handOn(pile.bundles);
  }

  /** Moves ballots to the next option of their ranking that is still in the count. */
  private handOn(bundles: readonly Bundle[]): Given {
    const options = new Map<string, Sum>();
    const exhausted = new Sum();
    for (const bundle of bundles) {
      let next: string | undefined;
      do next = bundle.next.next().value;
      while (next !== undefined && !this.mayReceive(next));
      if (next === undefined) {
        exhausted.add(bundle.weight, bundle.share);
        continue;
      }
      this.piles.get(next)!.add(bundle);
      const received = options.get(next) ?? new Sum();
      received.add(bundle.weight, bundle.share);
      options.set(next, received);
    }
    // In the order of the question, whatever that of the ballots is.
    const receiving = [...this.piles.keys()].filter((option) => options.has(option));
    return {
      options: new Map(receiving.map((option) => [option, options.get(option)!.total])),
      exhausted: exhausted.total,
    };
  }

  private mayReceive(option: string): boolean {
    return this.piles.has(option) && !this.elected.has(option);
  }

  private cut(): void {
    if (this.denominator < 1n << BigInt(MOST_BITS)) return;
    this.isExact = false;
    for (const pile of this.piles.values()) pile.cut(this.coarse);
    this.coarse.factor = 1n;
    this.denominators = [this.coarse];
    this.denominator = this.coarse.value;
  }

  private told(counts: RoundCounts): { option: string; weight: string }[] {
    return [...counts]
      .map(([option, count]) => ({ option, weight: this.shown(count) }))
      .filter(({ weight }) => weight !== '0');
  }

  private shown(count: bigint): string {
    return fractionText(count, this.denominator * UNITS, SHOWN_DECIMALS);
  }
}

/** Over the common denominator. */
interface Given {
  readonly options: RoundCounts;
  /** Weight of exhausted ballots. */
  readonly exhausted: bigint;
}

/** Action after a round. */
interface Move {
  readonly option: string;
  /** Whether its surplus is given away; otherwise it is eliminated. */
  readonly isSurplus: boolean;
  readonly tie?: TieBreak;
}

function sum(values: Iterable<bigint>): bigint {
  let total = 0n;
  for (const value of values) total += value;
  return total;
}

/** Returns the fraction in lowest terms. */
function reduced(numerator: bigint, denominator: bigint): [bigint, bigint] {
  let [one, other] = [numerator, denominator];
  while (other !== 0n) [one, other] = [other, one % other];
  return [numerator / one, denominator / one];
}
