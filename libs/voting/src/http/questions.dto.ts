import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { pick } from '#platform/input/field';
import {
  MOST_OPTIONS,
  MOST_QUESTIONS,
  NESTED_OPTION_FIELDS,
  OPTION_FIELDS,
  QUESTION_FIELDS,
} from '../domain/question.fields';
import { EXAMPLE_IDS } from './examples';

/** An option inside its question. */
export class NestedOptionInput extends InputOf(NESTED_OPTION_FIELDS) {}

/** Body of POST and PUT; PUT replaces every property, place and options only where they are given. */
export class QuestionInput extends InputOf(QUESTION_FIELDS, { Options: NestedOptionInput }) {
  @Input(QUESTION_FIELDS.Id)
  Id?: unknown;
}

/** Body of POST and PUT; PUT replaces every property, the place only where it is given. */
export class OptionInput extends InputOf(OPTION_FIELDS) {}

const ordreShown = (among: string) => ({
  ...OPTION_FIELDS.Ordre,
  description: `Place among the ${among}, from 1.`,
});

/** An option of a question. */
export class OptionItem extends ItemOf(pick(OPTION_FIELDS, 'Id', 'Libelle', 'Description')) {
  @Shown({ ...ordreShown('options'), always: true })
  Ordre: number;
}

/** A question of a campaign. */
export class QuestionItem extends ItemOf(
  pick(
    QUESTION_FIELDS,
    'Id',
    'Titre',
    'Description',
    'Type',
    'EstPreferentiel',
    'OrdreReponsesAleatoire',
    'MinReponses',
    'MaxReponses',
    'NombreElus',
  ),
) {
  @Shown({ ...ordreShown('questions'), always: true })
  Ordre: number;

  @ApiProperty({ type: [OptionItem], description: 'What can be chosen, in its order.' })
  Options: OptionItem[];
}

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
