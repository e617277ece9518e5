import { identifier, type RecordOf } from '#platform/input/field';
import { OBJET_CONSENTEMENT_FIELDS } from './objet-consentement.fields';

/** A person's answer to a consent object, inside a record that names the person. */
export const REPONSE_CONSENTEMENT_FIELDS = {
  objetConsentementIdExterne: identifier({
    required: true,
    description: 'External identifier of the consent object, which must exist.',
    example: OBJET_CONSENTEMENT_FIELDS.idExterne.example,
  }),
  accepte: {
    kind: 'boolean',
    required: true,
    description: 'Whether the consent was accepted.',
    example: true,
  },
} as const;

/** A consent as the platform writes it (docs/contract.md, "Signing"). */
export const CONSENTEMENT_FIELDS = {
  idExterneEmploye: identifier({
    required: true,
    shown: 'External identifier of the employee.',
    description: 'External identifier of the employee, who must exist.',
    example: 'E-1001',
  }),
  ...REPONSE_CONSENTEMENT_FIELDS,
  dateConsentement: {
    kind: 'date',
    notAhead: true,
    shown: 'When it was given (UTC).',
    always: true,
    description: 'When it was given: at most 10 minutes ahead. The time of the request if absent.',
    example: '2026-03-02T14:05:09.120Z',
  },
} as const;

/** Filters of the list of consents. */
export const CONSENTEMENT_FILTERS = {
  depuis: {
    kind: 'date',
    description:
      'Only consents of this time or later (`dateConsentement`, inclusive). Consents of a signing that waited for conciliation have the date of the signature.',
    example: '2026-01-01T00:00:00Z',
  },
} as const;

export type ConsentementFilter = RecordOf<typeof CONSENTEMENT_FILTERS>;
export type ReponseConsentementRecord = RecordOf<typeof REPONSE_CONSENTEMENT_FIELDS>;
export type ConsentementRecord = RecordOf<typeof CONSENTEMENT_FIELDS>;
