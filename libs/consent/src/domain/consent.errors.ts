import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const OBJET_CONSENTEMENT = errorsOf('ObjetConsentement', {
  NotFound: {
    status: 404,
    title: 'Consent object not found',
    description: 'No consent object of the tenant has this external identifier.',
  },
  IdExterneDejaUtilise: {
    status: 409,
    title: 'External identifier already used',
    description: 'A consent object with this idExterne exists. Use PUT to change it.',
  },
  Utilise: {
    status: 409,
    title: 'Consent object in use',
    description:
      'Persons have accepted or refused consent to this object, or forms or requests ask for it. It cannot be deleted, because the history of consents is kept.',
  },
});

/** Errors of consent objects. */
export const CONSENT_ERRORS: readonly ErrorDefinition[] = [...Object.values(OBJET_CONSENTEMENT)];
