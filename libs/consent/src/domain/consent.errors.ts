import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr, type Text } from '#platform/errors/text';

export const OBJET_CONSENTEMENT = errorsOf('ObjetConsentement', {
  NotFound: {
    status: 404,
    title: { en: 'Consent object not found', fr: fr('Objet de consentement introuvable') },
    description: {
      en: 'No consent object of the tenant has this external identifier.',
      fr: fr('Aucun objet de consentement de l’espace de données n’a cet identifiant externe.'),
    },
    detail: {
      en: 'No consent object has this external identifier.',
      fr: fr('Aucun objet de consentement n’a cet identifiant externe.'),
    },
  },
  IdExterneDejaUtilise: {
    status: 409,
    title: { en: 'External identifier already used', fr: fr('Identifiant externe déjà utilisé') },
    description: {
      en: 'A consent object with this idExterne exists. Use PUT to change it.',
      fr: fr('Un objet de consentement avec cet idExterne existe. Utilisez PUT pour le modifier.'),
    },
  },
  Utilise: {
    status: 409,
    title: { en: 'Consent object in use', fr: fr('Objet de consentement utilisé') },
    description: {
      en: 'Persons have accepted or refused consent to this object, or forms or requests ask for it. It cannot be deleted, because the history of consents is kept.',
      fr: fr(
        'Des personnes ont accepté ou refusé de consentir à cet objet, ou des formulaires ou des demandes le mentionnent. Il ne peut pas être supprimé, car l’historique des consentements est conservé.',
      ),
    },
  },
});

/** A reference that is no consent object. */
export const NAMES_NO_OBJET: Text = {
  en: 'names no consent object',
  fr: fr('ne désigne aucun objet de consentement'),
};

/** Errors of consent objects. */
export const CONSENT_ERRORS: readonly ErrorDefinition[] = [...Object.values(OBJET_CONSENTEMENT)];
