import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

export const COURRIEL = errorsOf('Courriel', {
  NotFound: {
    status: 404,
    title: { en: 'Email not found', fr: fr('Courriel introuvable') },
    description: {
      en: 'The tenant has no email with this id. Emails are kept for 30 days.',
      fr: fr(
        'L’espace de données n’a aucun courriel avec cet identifiant. Les courriels sont conservés 30 jours.',
      ),
    },
    detail: { en: 'No email has this id.', fr: fr('Aucun courriel n’a cet identifiant.') },
  },
  AucunDestinataire: {
    status: 400,
    title: { en: 'No recipients', fr: fr('Aucun destinataire') },
    description: {
      en: 'The campaign has no voters. With `nonVotants`: every voter who may vote has voted. With `nonJoints`: an email has reached every voter who may vote and has not voted. Nothing was sent.',
      fr: fr(
        'La campagne n’a aucun votant. Avec `nonVotants` : tous les votants qui peuvent voter ont voté. Avec `nonJoints` : un courriel a joint tous les votants qui peuvent voter et n’ont pas voté. Rien n’a été envoyé.',
      ),
    },
  },
  RetourIllisible: {
    status: 400,
    title: { en: 'No delivery status', fr: fr('Aucun état de remise') },
    description: {
      en: 'The message has no delivery status (RFC 3464) with an action, or exceeds a limit of the parser. Send only delivery status notifications: automatic replies and reports of other kinds are none.',
      fr: fr(
        'Le message n’a aucun état de remise (RFC 3464) avec une action, ou dépasse une limite de l’analyseur. N’envoyez que des notifications d’état de remise : les réponses automatiques et les rapports d’autres sortes n’en sont pas.',
      ),
    },
  },
  QuotaDepasse: {
    status: 429,
    title: { en: 'Email quota used up', fr: fr('Quota de courriels épuisé') },
    description: {
      en: 'The email has more recipients than are left of the daily quota (`courrielsParJour` of `GET /b2b/v1/moi`). Nothing was sent. `detail` has the number left. The quota is renewed after the seconds in Retry-After, when a day begins in the time zone of the client.',
      fr: fr(
        'Le courriel a plus de destinataires qu’il n’en reste du quota quotidien (`courrielsParJour` de `GET /b2b/v1/moi`). Rien n’a été envoyé. `detail` donne le nombre restant. Le quota est renouvelé après le nombre de secondes indiqué par Retry-After, lorsqu’une journée commence dans le fuseau horaire du client.',
      ),
    },
  },
});

/** Errors of e-mail. */
export const MESSAGING_ERRORS: readonly ErrorDefinition[] = [...Object.values(COURRIEL)];
