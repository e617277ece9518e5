import { identifier, text } from '#shared/records/field';

/** What a partner writes of a consent object (decisions, section 7). */
export const OBJET_CONSENTEMENT_FIELDS = {
  idExterne: identifier({
    required: true,
    description: 'Partner-defined identifier of the consent object; case-sensitive, never changes.',
    example: 'INFOLETTRE',
  }),
  nom: text(255, { required: true, description: 'What is consented to.', example: 'Recevoir l’infolettre' }),
} as const;
