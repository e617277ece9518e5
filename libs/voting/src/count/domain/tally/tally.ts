import { countRanked, type RankedBallots, type Round } from './ranked-count';
import { drawn, extremesOf, type TieBreak } from './tie-break';
import type { Weight } from './weight';

/** A question, as far as its count depends on it. */
export interface CountedQuestion {
  readonly id: string;
  /** Identifiers in their order: an answer names options by their place here. */
  readonly options: readonly string[];
  readonly isRanked: boolean;
  /** Number of seats; absent unless the question is an Election. */
  readonly seats: number | undefined;
}

/** Ballots that answer a question alike, or rank the same option first. */
export interface FirstChoices {
  /** Answer in the form of `answerOf`. */
  readonly answer: string;
  readonly ballots: number;
  /** Total weight. */
  readonly weight: Weight;
}

/** Ballots that answer a question alike, rankings to their last rank. */
export interface Answers extends FirstChoices {
  /** The finest `unitOf` a single one of them. */
  readonly unit: Weight;
}

/** The result of one question. */
export interface QuestionResult {
  /** Ballots that chose or ranked something. */
  readonly expressed: number;
  readonly expressedWeight: Weight;
  readonly abstentions: number;
  /** Ballots that chose each option or ranked it first, in the order of the question. */
  readonly options: readonly Chosen[];
  /** Rounds of a ranked question. */
  readonly rounds?: readonly Round[];
  /** Elected options of an Election, in the order of their election. */
  readonly elected?: readonly string[];
  /** Draws for the last seats of an unranked Election. */
  readonly ties?: readonly TieBreak[];
}

/** The options of an answer to a ranked question, read from it one by one: hundreds of ranks take no memory beside it. */
class Ranking implements IterableIterator<string, undefined> {
  private at = 0;

  constructor(
    private readonly answer: string,
    private readonly options: readonly string[],
  ) {}

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<string, undefined> {
    const { answer, at } = this;
    if (at >= answer.length) return { done: true, value: undefined };
    const comma = answer.indexOf(',', at);
    const end = comma < 0 ? answer.length : comma;
    this.at = end + 1;
    return { done: false, value: this.options[Number(answer.slice(at, end))]! };
  }
}

/**
 * Counts the ballots of a question exactly (docs/contract.md, "Counting"). The result depends only on the arguments, so
 * the count can be repeated.
 *
 * @param seed breaks ties that earlier rounds do not
 */
export function tally(question: CountedQuestion, answers: Iterable<Answers>, seed: string): QuestionResult {
  if (!question.isRanked) {
    const result = tallyFirstChoices(question, answers);
    return { ...result, ...(question.seats ? mostWanted(question, result, seed) : {}) };
  }
  const sums = new Sums(true);
  const { options, seats = 1 } = question;
  const rounds = countRanked({ ...question, seats, seed }, rankingsOf(question, answers, sums));
  const elected = question.seats ? { elected: rounds.flatMap((round) => round.elected) } : {};
  return { ...sums.result(options), rounds, ...elected };
}

/** Collects rankings while rows are read, and keeps only the part of an answer that the count needs. */
function* rankingsOf(
  { options }: CountedQuestion,
  answers: Iterable<Answers>,
  sums: Sums,
): Generator<RankedBallots> {
  for (const one of answers) {
    const { answer, weight, unit } = one;
    sums.add(one);
    yield { ranking: new Ranking(answer, options), weight, unit };
  }
}

/** Elects the options with most weight, of those that have any; where too many have the same, draws fill the last seats. */
function mostWanted(
  { id, options, seats = 1 }: CountedQuestion,
  result: QuestionResult,
  seed: string,
): Required<Pick<QuestionResult, 'elected' | 'ties'>> {
  const weights = new Map(options.map((option, place) => [option, result.options[place]!.weight]));
  const elected: string[] = [];
  const ties: TieBreak[] = [];
  let left = options.filter((option) => weights.get(option)! > 0n);
  while (elected.length < seats && left.length > 0) {
    const level = extremesOf(left, 'most', weights);
    const isTie = level.length > seats - elected.length;
    const chosen = isTie ? [drawn(seed, `${id}:${elected.length + 1}`, level)] : level;
    if (isTie) ties.push({ among: level, chosen: chosen[0]! });
    elected.push(...chosen);
    left = left.filter((option) => !chosen.includes(option));
  }
  return { elected, ties };
}

/** Counts a filtered part of the ballots, without rounds and elected options. */
export function tallyFirstChoices(
  { isRanked, options }: CountedQuestion,
  answers: Iterable<FirstChoices>,
): QuestionResult {
  const sums = new Sums(isRanked);
  for (const one of answers) sums.add(one);
  return sums.result(options);
}

/** Votes of an option and their weight. */
interface Chosen {
  readonly votes: number;
  readonly weight: Weight;
}

const NONE: Chosen = { votes: 0, weight: 0n };

/** Begins an answer that is a decrypted sum of an encrypted vote (urne_dechiffrer). */
const SUM = '=';

/** Counts of the options of a question. An option without votes takes no memory. */
export class Sums {
  expressed = 0;
  expressedWeight = 0n;
  abstentions = 0;
  private readonly options: { votes: number; weight: Weight }[] = [];

  constructor(private readonly isRanked: boolean) {}

  add({ answer, ballots, weight }: FirstChoices): void {
    if (answer === '') {
      this.abstentions += ballots;
      return;
    }
    if (answer.startsWith(SUM)) {
      // `=` are all ballots that name an option, and `=2` those that name the option at place 2.
      if (answer !== SUM) return this.addTo(Number(answer.slice(SUM.length)), ballots, weight);
    } else
      for (const choice of answer.split(',', this.isRanked ? 1 : undefined))
        this.addTo(Number(choice), ballots, weight);
    this.expressed += ballots;
    this.expressedWeight += weight;
  }

  private addTo(place: number, ballots: number, weight: Weight): void {
    const option = (this.options[place] ??= { votes: 0, weight: 0n });
    option.votes += ballots;
    option.weight += weight;
  }

  /** The options with votes, by their places, in their order. */
  *chosen(): Generator<readonly [place: number, Chosen]> {
    for (const [place, chosen] of Object.entries(this.options)) yield [Number(place), chosen];
  }

  /** @param options those of the question */
  result(options: readonly string[]): QuestionResult {
    const { expressed, expressedWeight, abstentions } = this;
    return {
      ...{ expressed, expressedWeight, abstentions },
      options: options.map((_, place) => this.options[place] ?? NONE),
    };
  }
}
