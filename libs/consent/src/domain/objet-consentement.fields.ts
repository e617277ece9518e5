import { givenId, givenTime, identifier, type RecordOf, text } from '#platform/input/field';

/** A consent object as partners write it (docs/contract.md, "Consent objects"). */
export const OBJET_CONSENTEMENT_FIELDS = {
  idExterne: identifier({
    required: true,
    description: 'Partner-defined identifier of the consent object; case-sensitive, never changes.',
    example: 'INFOLETTRE',
  }),
  nom: text(255, { required: true, description: 'What is consented to.', example: 'Recevoir l’infolettre' }),
  idUnique: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b11'),
  derniereMAJ: givenTime('When it last changed (UTC).', '2026-03-02T14:05:09.120Z'),
  dateCreation: givenTime('When it was created (UTC).', '2026-01-15T14:30:00.000Z'),
} as const;

const { idExterne, nom, ...readOnlyFields } = OBJET_CONSENTEMENT_FIELDS;

/** A consent object of a V2 sync. */
export const OBJET_CONSENTEMENT_V2_FIELDS = { IdExterne: idExterne, Nom: nom, ...readOnlyFields } as const;

export type ObjetConsentementRecord = RecordOf<typeof OBJET_CONSENTEMENT_FIELDS>;
