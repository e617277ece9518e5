import { identifier, type RecordOf, text } from '#platform/input/field';
import { READ_ONLY_FIELDS } from './read-only.fields';

/** Types of custom fields; also the discriminator of the V2 read shape (docs/contract.md, "Custom fields"). */
export const TYPES_CHAMP = ['texte', 'date', 'booleen', 'choix'] as const;
export type TypeChamp = (typeof TYPES_CHAMP)[number];

export const CHOIX_FIELDS = {
  idExterne: identifier({
    required: true,
    description: 'Partner-defined identifier of the choice, which V2 writes and reads.',
    example: 'NUIT',
  }),
  libelle: text(255, { required: true, description: 'Label, as people read it.', example: 'Nuit' }),
} as const;

/** A custom field (docs/contract.md, "Custom fields"). */
export const CHAMP_FIELDS = {
  nom: identifier({
    required: true,
    description: 'Name of the field; case-sensitive, never changes.',
    example: 'Quart de travail',
  }),
  type: {
    kind: 'choice',
    values: TYPES_CHAMP,
    required: true,
    description: 'Type of the values. It cannot change once employees have values.',
    example: 'choix',
  },
  obligatoire: {
    kind: 'boolean',
    always: true,
    description: 'Whether forms demand a value, and a sync may not remove one. False if absent.',
    example: false,
  },
  choix: {
    kind: 'records',
    of: CHOIX_FIELDS,
    max: 1_000,
    description:
      'Choices of a field of type `choix`, in their order; empty for the other types. A choice that employees have cannot be removed.',
  },
  idUnique: READ_ONLY_FIELDS.idUnique,
  dateCreation: READ_ONLY_FIELDS.dateCreation,
} as const;

export type ChoixRecord = RecordOf<typeof CHOIX_FIELDS>;
export type ChampRecord = RecordOf<typeof CHAMP_FIELDS>;
