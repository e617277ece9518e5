import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#shared/http/field.decorator';
import {
  MOST_OPTIONS,
  MOST_QUESTIONS,
  NESTED_OPTION_FIELDS,
  type NestedOptionRecord,
  OPTION_FIELDS,
  type OptionRecord,
  QUESTION_FIELDS,
  type QuestionRecord,
} from '../domain/question.fields';
import { EXAMPLE_IDS } from './examples';

/** An option inside its question. */
export class NestedOptionInput implements NestedOptionRecord {
  @Input(NESTED_OPTION_FIELDS.Id)
  Id?: string | null;

  @Input(NESTED_OPTION_FIELDS.Libelle)
  Libelle: string;

  @Input(NESTED_OPTION_FIELDS.Description)
  Description?: string | null;

  @Input(NESTED_OPTION_FIELDS.Ordre)
  Ordre?: number | null;
}

/** Body of POST and PUT; PUT replaces every property, place and options only where they are given. */
export class QuestionInput implements QuestionRecord {
  @Input(QUESTION_FIELDS.Titre)
  Titre: string;

  @Input(QUESTION_FIELDS.Description)
  Description?: string | null;

  @Input(QUESTION_FIELDS.Type)
  Type: string;

  @Input(QUESTION_FIELDS.Ordre)
  Ordre?: number | null;

  @Input(QUESTION_FIELDS.EstPreferentiel)
  EstPreferentiel?: boolean | null;

  @Input(QUESTION_FIELDS.OrdreReponsesAleatoire)
  OrdreReponsesAleatoire?: number | null;

  @Input(QUESTION_FIELDS.MinReponses)
  MinReponses?: number | null;

  @Input(QUESTION_FIELDS.MaxReponses)
  MaxReponses?: number | null;

  @Input(QUESTION_FIELDS.NombreElus)
  NombreElus?: number | null;

  @Input(QUESTION_FIELDS.Options, NestedOptionInput)
  Options?: NestedOptionInput[] | null;

  @Input(QUESTION_FIELDS.Id)
  Id?: unknown;
}

/** Body of POST and PUT; PUT replaces every property, the place only where it is given. */
export class OptionInput implements OptionRecord {
  @Input(OPTION_FIELDS.Libelle)
  Libelle: string;

  @Input(OPTION_FIELDS.Description)
  Description?: string | null;

  @Input(OPTION_FIELDS.Ordre)
  Ordre?: number | null;

  @Input(OPTION_FIELDS.Id)
  Id?: unknown;
}

const ordreShown = (among: string) => ({
  ...OPTION_FIELDS.Ordre,
  description: `Place among the ${among}, from 1.`,
});

/** What can be chosen. */
export class OptionItem {
  @Shown(OPTION_FIELDS.Id, { always: true, format: 'uuid' })
  Id: string;

  @Shown(OPTION_FIELDS.Libelle)
  Libelle: string;

  @Shown(OPTION_FIELDS.Description)
  Description: string | null;

  @Shown(ordreShown('options'), { always: true })
  Ordre: number;
}

/** A question of a campaign. */
export class QuestionItem {
  @Shown(QUESTION_FIELDS.Id, { always: true, format: 'uuid' })
  Id: string;

  @Shown(QUESTION_FIELDS.Titre)
  Titre: string;

  @Shown(QUESTION_FIELDS.Description)
  Description: string | null;

  @Shown(QUESTION_FIELDS.Type)
  Type: string;

  @Shown(ordreShown('questions'), { always: true })
  Ordre: number;

  @Shown({ ...QUESTION_FIELDS.EstPreferentiel, description: 'Whether options are ranked.' }, { always: true })
  EstPreferentiel: boolean;

  @Shown(
    {
      ...QUESTION_FIELDS.OrdreReponsesAleatoire,
      description: 'Random order of options: 0 as the campaign says, 1 fixed order, 2 random order.',
    },
    { always: true },
  )
  OrdreReponsesAleatoire: number;

  @Shown(
    { ...QUESTION_FIELDS.MinReponses, description: 'The fewest options that an answer names, or ranks.' },
    { always: true },
  )
  MinReponses: number;

  @Shown({
    ...QUESTION_FIELDS.MaxReponses,
    description: 'The most options that an answer names, or ranks; null where all of them may be ranked.',
  })
  MaxReponses: number | null;

  @Shown({ ...QUESTION_FIELDS.NombreElus, description: 'Seats of an Election; null of other types.' })
  NombreElus: number | null;

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
