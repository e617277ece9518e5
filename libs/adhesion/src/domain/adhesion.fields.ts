import { EMPLOYE_FIELDS } from '#membership/vocabulary';
import type { RecordOf } from '#platform/input/field';
import { SIGNING_FIELDS } from './signing.fields';

const apres = {
  kind: 'date',
  description:
    'Only cards signed at this time or later (inclusive, to the millisecond). The card of a confirmed request has the date of its signature, which can be much earlier; the event `adhesion.signee` announces each card when it is created.',
  example: '2026-01-01T00:00:00Z',
} as const;
const idExterneEmploye = {
  ...EMPLOYE_FIELDS.idExterne,
  required: false,
  description: 'Only cards of this employee.',
} as const;

/** Filters of V1’s lists of cards, combined with AND (docs/contract.md, "Lists of cards"). */
export const ADHESION_V1_FILTERS = {
  apres,
  idExterne: { ...idExterneEmploye, renames: ['idExterneEmploye', 'employeIdExterne'] },
} as const;

/** Filters of V2’s lists of cards. */
export const ADHESION_FILTERS = {
  apres,
  avant: {
    kind: 'date',
    description: 'Only cards signed at this time or before (inclusive, to the millisecond).',
    example: '2030-12-31T23:59:59.999Z',
  },
  idExterneSyndicat: {
    ...SIGNING_FIELDS.syndicatIdExterne,
    required: false,
    description: 'Only cards of this union.',
    renames: ['syndicatIdExterne'],
  },
  idExterneEmploye: { ...idExterneEmploye, renames: ['idExterne', 'employeIdExterne'] },
  noMembre: {
    ...EMPLOYE_FIELDS.noMembre,
    description:
      'Only cards with this member number: the one that was signed or, where none was, the one that the employee had then.',
  },
  aSignatureManuscrite: {
    kind: 'boolean',
    description: 'Only cards with a handwritten signature (true), or without one (false).',
    renames: ['aSignatureManuscripte'],
    example: true,
  },
  avecPaiement: {
    kind: 'boolean',
    description: 'Only cards linked to a payment (true), or to none (false).',
    example: false,
  },
} as const;

export type AdhesionV1Filter = RecordOf<typeof ADHESION_V1_FILTERS>;
export type AdhesionFilter = RecordOf<typeof ADHESION_FILTERS>;
