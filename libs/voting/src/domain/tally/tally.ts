import { countRanked, type RankedBallots, type Round } from './ranked-count';
import { drawn, extremesOf, type TieBreak } from './tie-break';
import type { Weight } from './weight';

/** A question, as far as its count depends on it. */
export interface CountedQuestion {
  readonly id: string;
  /** Identifiers in their order: an answer names options by their place here. */
  readonly options: readonly string[];
  readonly isRanked: boolean;
  /** Options that it elects; none where it is no election. */
  readonly seats: number | undefined;
}

/** Ballots that answer one question alike, or rank the same option first. */
export interface FirstChoices {
  /** Its place among the questions, from 0. */
  readonly question: number;
  /** As `answerOf` writes it. */
  readonly answer: string;
  readonly ballots: number;
  /** Of all of them. */
  readonly weight: Weight;
}

/** Ballots that answer one question alike, rankings to their last rank. */
export interface Answers extends FirstChoices {
  /** The finest `unitOf` a single one of them. */
  readonly unit: Weight;
}

/** The result of one question. */
export interface QuestionResult {
  readonly question: CountedQuestion;
  /** Ballots that chose or ranked something. */
  readonly expressed: number;
  readonly expressedWeight: Weight;
  readonly abstentions: number;
  /** In the order of the question: ballots that chose the option, or ranked it first. */
  readonly options: readonly { readonly votes: number; readonly weight: Weight }[];
  /** Of a ranked question. */
  readonly rounds?: readonly Round[];
  /** Of an election, the first elected first. */
  readonly elected?: readonly string[];
  /** Of an election that is not ranked, draws for its last seats. */
  readonly ties?: readonly TieBreak[];
}

/** An answer as a ballot keeps it: places of options from 0, most wanted first where they are ranked; none is an abstention. */
export function answerOf(choices: readonly number[]): string {
  return choices.join(',');
}

function choicesOf(answer: string): number[] {
  return answer === '' ? [] : answer.split(',').map(Number);
}

/**
 * Counts ballots (decisions, section 9, "Casting and counting"): exactly, of nothing but its arguments, so that anybody can
 * repeat it.
 *
 * @param seed breaks ties that earlier rounds do not
 */
export function tally(
  questions: readonly CountedQuestion[],
  answers: Iterable<Answers>,
  seed: string,
): QuestionResult[] {
  return byQuestion(questions, answers, (question, own) => {
    const result = sumOf(question, own);
    if (!question.isRanked)
      return question.seats ? { ...result, ...mostWanted(question, result, seed) } : result;
    const rankings: RankedBallots[] = [];
    for (const { answer, weight, unit } of own) {
      const choices = choicesOf(answer);
      if (choices.length === 0) continue;
      rankings.push({ ranking: choices.map((choice) => question.options[choice]!), weight, unit });
    }
    const { seats = 1 } = question;
    const rounds = countRanked({ ...question, seats, seed }, rankings);
    return {
      ...result,
      rounds,
      ...(question.seats ? { elected: rounds.flatMap(({ elected }) => elected) } : {}),
    };
  });
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

/** Counts some of the ballots, which elect nobody: without rounds. */
export function tallyFirstChoices(
  questions: readonly CountedQuestion[],
  answers: Iterable<FirstChoices>,
): QuestionResult[] {
  return byQuestion(questions, answers, sumOf);
}

function byQuestion<T extends FirstChoices>(
  questions: readonly CountedQuestion[],
  answers: Iterable<T>,
  resultOf: (question: CountedQuestion, own: readonly T[]) => QuestionResult,
): QuestionResult[] {
  const ofQuestion: T[][] = questions.map(() => []);
  for (const one of answers) ofQuestion[one.question]!.push(one);
  return questions.map((question, index) => resultOf(question, ofQuestion[index]!));
}

function sumOf(question: CountedQuestion, answers: readonly FirstChoices[]): QuestionResult {
  const options = question.options.map(() => ({ votes: 0, weight: 0n }));
  let expressed = 0;
  let expressedWeight = 0n;
  let abstentions = 0;
  for (const { answer, ballots, weight } of answers) {
    const choices = choicesOf(answer);
    if (choices.length === 0) {
      abstentions += ballots;
      continue;
    }
    expressed += ballots;
    expressedWeight += weight;
    for (const choice of question.isRanked ? choices.slice(0, 1) : choices) {
      options[choice]!.votes += ballots;
      options[choice]!.weight += weight;
    }
  }
  return { question, expressed, expressedWeight, abstentions, options };
}
