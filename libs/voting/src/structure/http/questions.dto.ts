import { omit, pick } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import {
  MOST_OPTIONS,
  MOST_QUESTIONS,
  NESTED_OPTION_FIELDS,
  OPTION_FIELDS,
  QUESTION_FIELDS,
} from '../domain/question.fields';
import { EXAMPLE_IDS } from '../../http/examples';

/** An option inside its question. */
export class NestedOptionInput extends InputOf(NESTED_OPTION_FIELDS) {}

/** Body of POST and PUT; PUT replaces every property, place and options only where they are given. */
export class QuestionInput extends InputOf(QUESTION_FIELDS, { Options: NestedOptionInput }) {}

/** Body of POST and PUT; PUT replaces every property, the place only where it is given. */
export class OptionInput extends InputOf(OPTION_FIELDS) {}

const ordreShown = (among: string) =>
  ({ ...OPTION_FIELDS.Ordre, description: `Place among the ${among}, from 1.`, always: true }) as const;

/** An option of a question. */
export class OptionItem extends ItemOf({
  ...pick(OPTION_FIELDS, 'Id', 'Libelle', 'Description'),
  Ordre: ordreShown('options'),
}) {}

/** A question of a campaign. */
export class QuestionItem extends ItemOf({
  Id: QUESTION_FIELDS.Id,
  ...omit(QUESTION_FIELDS, 'Id', 'Ordre', 'Options'),
  Ordre: ordreShown('questions'),
  Options: value.list(OptionItem, 'What can be chosen, in its order.'),
}) {}

const ordre = <const M extends number>(max: M, description: string, example: readonly string[]) =>
  ({ kind: 'texts', max, length: 36, format: 'uuid', required: true, description, example }) as const;

const QUESTIONS_ORDRE = {
  QuestionIds: ordre(MOST_QUESTIONS, 'Every question of the campaign exactly once, in the new order.', [
    EXAMPLE_IDS.questionAutre,
    EXAMPLE_IDS.question,
  ]),
};
const OPTIONS_ORDRE = {
  OptionIds: ordre(MOST_OPTIONS, 'Every option of the question exactly once, in the new order.', [
    EXAMPLE_IDS.optionAutre,
    EXAMPLE_IDS.option,
  ]),
};

/** A new order of all questions. */
export class QuestionOrdreInput extends InputOf(QUESTIONS_ORDRE) {}

/** A new order of all options. */
export class OptionOrdreInput extends InputOf(OPTIONS_ORDRE) {}
