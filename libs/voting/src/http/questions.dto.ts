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

/** A new order of all questions. */
export class QuestionOrdreInput {
  @Input({
    kind: 'texts',
    max: MOST_QUESTIONS,
    length: 36,
    format: 'uuid',
    required: true,
    description: 'Every question of the campaign exactly once, in the new order.',
    example: [EXAMPLE_IDS.questionAutre, EXAMPLE_IDS.question],
  })
  QuestionIds: string[];
}

/** A new order of all options. */
export class OptionOrdreInput {
  @Input({
    kind: 'texts',
    max: MOST_OPTIONS,
    length: 36,
    format: 'uuid',
    required: true,
    description: 'Every option of the question exactly once, in the new order.',
    example: [EXAMPLE_IDS.optionAutre, EXAMPLE_IDS.option],
  })
  OptionIds: string[];
}
