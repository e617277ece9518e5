import type { InputFault } from '#platform/errors/domain-error';
import type { ReponseRecord } from './bulletin.fields';
import { fr, type Text } from '#platform/errors/text';

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

/** Returns the ids of the options of a question, in their order. */
export function optionsOf({ options }: Pick<AnsweredQuestion, 'options'>): string[] {
  return Array.from({ length: options.length / ID_LENGTH }, (_, place) =>
    options.slice(place * ID_LENGTH, (place + 1) * ID_LENGTH),
  );
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
    const fault = (rest: string, code: string, detail: Text): void => {
      faults.push({ pointer: `/Reponses/${index}${rest}`, code, detail });
    };
    const place = places.get(reponse.QuestionId.toLowerCase());
    if (place === undefined) return fault('/QuestionId', 'reference', NO_QUESTION);
    if (answers[place] !== undefined) return fault('/QuestionId', 'duplicate', ANSWERED_TWICE);
    const { options, isRanked, minReponses, maxReponses } = questions[place]!;
    const ids = (reponse.Options ?? []).map((id) => id.toLowerCase());
    const chosen = placesOf(options, ids);
    // The order of unranked choices does not count, and it could identify the voter.
    answers[place] = answerOf(isRanked ? chosen : chosen.toSorted((one, other) => one - other));
    if (reponse.Abstention) {
      if (chosen.length > 0) fault('/Options', 'length', NOT_WITH_ABSTENTION);
      return;
    }
    if (chosen.length < minReponses || chosen.length > maxReponses) {
      fault('/Options', 'length', wrongNumber(minReponses, maxReponses));
    }
    if (chosen.includes(-1)) fault('/Options', 'reference', OTHER_OPTIONS);
    if (new Set(chosen).size < chosen.length) fault('/Options', 'duplicate', REPEATED_OPTION);
  });
  const missing = answers.filter((answer) => answer === undefined).length;
  if (missing > 0) {
    const detail = {
      en: `must answer each of the ${questions.length} questions: ${missing} of them are not`,
      fr: fr`doivent répondre à chacune des questions de la campagne (${questions.length}); questions sans réponse : ${missing}`,
    };
    faults.push({ pointer: '/Reponses', code: 'required', detail });
  }
  return faults.length > 0 ? { faults } : { answers: answers as string[] };
}

const NO_QUESTION: Text = {
  en: 'names no question of the campaign',
  fr: fr('ne désigne aucune question de la campagne'),
};
const ANSWERED_TWICE: Text = {
  en: 'answers a question twice',
  fr: fr('répond deux fois à une question'),
};
const NOT_WITH_ABSTENTION: Text = {
  en: 'must be empty with an abstention',
  fr: fr('doit être vide avec une abstention'),
};
const OTHER_OPTIONS: Text = {
  en: 'must name options of this question',
  fr: fr('doit désigner des options de cette question'),
};
const REPEATED_OPTION: Text = {
  en: 'must name each option once',
  fr: fr('doit désigner chaque option une seule fois'),
};

function wrongNumber(least: number, most: number): Text {
  return least === most
    ? {
        en: `must name ${most} of the options, or the answer be an abstention`,
        fr: fr`doit désigner ${most} des options, à moins que la réponse ne soit une abstention`,
      }
    : {
        en: `must name ${least} to ${most} of the options, or the answer be an abstention`,
        fr: fr`doit désigner de ${least} à ${most} des options, à moins que la réponse ne soit une abstention`,
      };
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
