/** A part of the answers in a ballot box: those to some questions, which are read by one statement or, of one question, by several. */
export interface Reading {
  /** Places of the first and the last question. */
  readonly first: number;
  readonly last: number;
  /** Statements that read it. */
  readonly parts: number;
  /** The most bytes that the answers may have. */
  readonly bytes: number;
}

/** Fields that determine the length of the answers to a question. */
interface AnsweredQuestion {
  readonly estPreferentiel: boolean;
  readonly maxReponses: number;
  readonly nombreOptions: number;
}

/** Options that one statement reads, unless a single question has more. */
const MOST_OPTIONS_READ = 500;

/** Bytes of answers that one statement reads: a process holds so much of a box in memory. */
const MOST_BYTES_READ = 16 * 2 ** 20;

/** Bytes of a line without its answer, and of one option in it, at most. */
const LINE_BYTES = 32;
const RANK_BYTES = 4;

/**
 * Divides the reading of a box into statements of bounded size.
 *
 * @param ballots the most that there can be
 * @param isWhole whether rankings are read to their last rank
 */
export function readingsOf(
  questions: readonly AnsweredQuestion[],
  ballots: number,
  isWhole: boolean,
): Reading[] {
  const readings: Reading[] = [];
  let options = 0;
  questions.forEach((question, place) => {
    const own = answerBytes(question, ballots, isWhole);
    const before = readings.at(-1);
    const bytes = own + (before?.bytes ?? 0);
    options += question.nombreOptions;
    if (before && options <= MOST_OPTIONS_READ && bytes <= MOST_BYTES_READ) {
      readings[readings.length - 1] = { ...before, last: place, bytes };
      return;
    }
    const parts = Math.max(1, Math.ceil(own / MOST_BYTES_READ));
    readings.push({ first: place, last: place, parts, bytes: own });
    options = question.nombreOptions;
  });
  return readings;
}

function answerBytes(
  { estPreferentiel, maxReponses, nombreOptions }: AnsweredQuestion,
  ballots: number,
  isWhole: boolean,
): number {
  const ranks = estPreferentiel && !isWhole ? 1 : maxReponses;
  const different = ranks === 1 ? nombreOptions + 1 : ballots;
  return Math.min(ballots, different) * (LINE_BYTES + RANK_BYTES * ranks);
}
