import type { InputFault } from '#platform/errors/domain-error';
import type { ReponseRecord } from './bulletin.fields';

/** Characters of an id. */
const ID_LENGTH = 36;

/** Chosen options that are looked for one by one: for more, an index of all options takes less time. */
const FEW = 10;

/** A question, as far as answers to it depend on it. */
export interface AnsweredQuestion {
  readonly id: string;
  readonly isRanked: boolean;
  /** The ids of the options in their order, as one text, which takes less memory than a list. */
  readonly options: string;
  readonly minReponses: number;
  readonly maxReponses: number;
}

/** An answer as a ballot keeps it: places of options from 0, most wanted first where they are ranked; none is an abstention. */
export function answerOf(choices: readonly number[]): string {
  return choices.join(',');
}

/** The stored form of a ballot, or its validation errors. */
export type CheckedAnswers = { readonly answers: readonly string[] } | { readonly faults: InputFault[] };

/**
 * Checks that a ballot answers every question once, each with as many of its own options as it may name or with an
 * abstention. Errors name the place and the rule, never the choice, because a caller may log them.
 */
export function answersOf(
  questions: readonly AnsweredQuestion[],
  reponses: readonly ReponseRecord[],
): CheckedAnswers {
  const places = new Map(questions.map(({ id }, place) => [id, place]));
  const answers: (string | undefined)[] = questions.map(() => undefined);
  const faults: InputFault[] = [];
  reponses.forEach((reponse, index) => {
    const fault = (rest: string, code: string, detail: string): void => {
      faults.push({ pointer: `/Reponses/${index}${rest}`, code, detail });
    };
    const place = places.get(reponse.QuestionId.toLowerCase());
    if (place === undefined) return fault('/QuestionId', 'reference', 'names no question of the campaign');
    if (answers[place] !== undefined) return fault('/QuestionId', 'duplicate', 'answers a question twice');
    const { options, isRanked, minReponses, maxReponses } = questions[place]!;
    const ids = (reponse.Options ?? []).map((id) => id.toLowerCase());
    const chosen = placesOf(options, ids);
    // The order of unranked choices does not count, and it could identify the voter.
    answers[place] = answerOf(isRanked ? chosen : chosen.toSorted((one, other) => one - other));
    if (reponse.Abstention) {
      if (chosen.length > 0) fault('/Options', 'length', 'must be empty with an abstention');
      return;
    }
    if (chosen.length < minReponses || chosen.length > maxReponses) {
      const range = minReponses === maxReponses ? `${maxReponses}` : `${minReponses} to ${maxReponses}`;
      fault('/Options', 'length', `must name ${range} of the options, or the answer be an abstention`);
    }
    if (chosen.includes(-1)) fault('/Options', 'reference', 'must name options of this question');
    if (new Set(chosen).size < chosen.length) fault('/Options', 'duplicate', 'must name each option once');
  });
  const missing = answers.filter((answer) => answer === undefined).length;
  if (missing > 0) {
    const detail = `must answer each of the ${questions.length} questions: ${missing} of them are not`;
    faults.push({ pointer: '/Reponses', code: 'required', detail });
  }
  return faults.length > 0 ? { faults } : { answers: answers as string[] };
}

/** Returns the places of ids among those of a question; -1 for others. */
function placesOf(options: string, ids: readonly string[]): number[] {
  // The hyphens of an id match only where one begins.
  if (ids.length <= FEW)
    return ids.map((id) => options.indexOf(id)).map((at) => (at < 0 ? at : at / ID_LENGTH));
  const places = new Map<string, number>();
  for (let at = 0; at < options.length; at += ID_LENGTH)
    places.set(options.slice(at, at + ID_LENGTH), at / ID_LENGTH);
  return ids.map((id) => places.get(id) ?? -1);
}
