/** A question, as far as the size of its result depends on it. */
export interface SizedQuestion {
  readonly estPreferentiel: boolean;
  /** Seats of an Election. */
  readonly nombreElus: number | null;
  readonly nombreOptions: number;
}

/**
 * The largest result of a campaign that can be published, as `resultSize` measures it. The worst result of this size is counted
 * in seconds and has some tens of MB (docs/adr/0027).
 */
export const MOST_RESULT = 500_000;

/**
 * The size of a campaign's result at worst: for each question its options times the rounds of its count, since each round may
 * tell of each option. A ranked count has at most a round for each option, which it elects or eliminates; an election that is not
 * ranked has a draw for each seat.
 */
export function resultSize(questions: readonly SizedQuestion[]): number {
  return questions.reduce((sum, question) => sum + question.nombreOptions * roundsOf(question), 0);
}

function roundsOf({ estPreferentiel, nombreElus, nombreOptions }: SizedQuestion): number {
  return estPreferentiel ? nombreOptions : Math.min(nombreElus ?? 1, nombreOptions);
}
