import { givenId, identifier, type RecordOf, text } from '#platform/input/field';

/** The form that a member fills to sign (docs/contract.md, "Forms"). */
export const FORMULAIRE_FIELDS = {
  titre: text(255, { required: true, description: 'Title of the form.', example: 'Carte de membre 2026' }),
  syndicatIdExterne: identifier({
    required: true,
    shown: 'The union that the form is for.',
    description: 'External identifier of the union that the form is for, which must exist.',
    example: 'SYN-10',
  }),
  actif: {
    kind: 'boolean',
    shown: 'Whether cards can be signed with it.',
    always: true,
    description: 'Whether cards can be signed with it. True if absent.',
    example: true,
  },
  champs: {
    kind: 'texts',
    always: true,
    max: 200,
    length: 255,
    description: 'Names of the custom fields that the form asks for, in their order.',
    example: ['Quart de travail'],
  },
  objetsConsentement: {
    kind: 'texts',
    always: true,
    max: 100,
    length: 255,
    description: 'External identifiers of the consent objects that the form asks for, in their order.',
    example: ['INFOLETTRE'],
  },
  id: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4f01'),
} as const;

export type FormulaireRecord = RecordOf<typeof FORMULAIRE_FIELDS>;
