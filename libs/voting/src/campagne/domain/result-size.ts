/** A question, as far as the size of its result depends on it. */
export interface SizedQuestion {
  readonly estPreferentiel: boolean;
  /** Seats of an Election. */
  readonly nombreElus: number | null;
  readonly nombreOptions: number;
}

/**
 * The largest `resultSize` of a campaign that can be published. The worst result of this size is counted in seconds and
 * has some tens of MB (docs/adr/0027).
 */
export const MOST_RESULT = 500_000;

/**
 * Returns the maximum size of a campaign's result: for each question its options times the rounds of its count, because
 * each round may list each option. A ranked count has at most one round for each option, which it elects or eliminates. An
 * election that is not ranked has a draw for each seat.
 */
export function resultSize(questions: readonly SizedQuestion[]): number {
  return questions.reduce((sum, question) => sum + question.nombreOptions * roundsOf(question), 0);
}

function roundsOf({ estPreferentiel, nombreElus, nombreOptions }: SizedQuestion): number {
  return estPreferentiel ? nombreOptions : Math.min(nombreElus ?? 1, nombreOptions);
}
