import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

export const WEBHOOK = errorsOf('Webhook', {
  NotFound: {
    status: 404,
    title: { en: 'Endpoint not found', fr: fr('Webhook introuvable') },
    description: {
      en: 'The tenant has no endpoint with this id.',
      fr: fr('L’espace de données n’a aucun webhook avec cet identifiant.'),
    },
    detail: { en: 'No endpoint has this id.', fr: fr('Aucun webhook n’a cet identifiant.') },
  },
  AdresseRefusee: {
    status: 400,
    title: { en: 'Address refused', fr: fr('Adresse refusée') },
    description: {
      en: 'The address must be https on port 443, on the public internet, without user or fragment.',
      fr: fr(
        'L’adresse doit être en https sur le port 443, dans l’Internet public, sans utilisateur ni fragment.',
      ),
    },
  },
  TropNombreux: {
    status: 409,
    title: { en: 'Too many endpoints', fr: fr('Trop de webhooks') },
    description: {
      en: 'A tenant has at most 50 endpoints. Delete an unused one.',
      fr: fr('Un espace de données a au plus 50 webhooks. Supprimez-en un qui ne sert plus.'),
    },
  },
  RotationsTropNombreuses: {
    status: 409,
    title: { en: 'Too many rotations', fr: fr('Trop de renouvellements') },
    description: {
      en: 'Five replaced secrets of the endpoint still sign, each for 24 hours. Rotate again once the oldest has ended.',
      fr: fr(
        'Cinq secrets remplacés du webhook signent encore, chacun pendant 24 heures. Renouvelez de nouveau le secret une fois le plus ancien terminé.',
      ),
    },
  },
  Inactif: {
    status: 409,
    title: { en: 'Endpoint not active', fr: fr('Webhook inactif') },
    description: {
      en: 'The endpoint is not active. Set `actif` to true first.',
      fr: fr('Le webhook n’est pas actif. Mettez d’abord `actif` à true.'),
    },
  },
  CertificationEnCours: {
    status: 409,
    title: { en: 'Certification runs', fr: fr('Certification en cours') },
    description: {
      en: 'A certification of the endpoint has not ended. Wait for its verdict.',
      fr: fr('Une certification du webhook n’est pas terminée. Attendez son verdict.'),
    },
  },
  TypeNonAbonne: {
    status: 409,
    title: { en: 'Type not subscribed', fr: fr('Type sans abonnement') },
    description: {
      en: 'The endpoint no longer subscribes to the type of this event. Add it to `types`, or read the event in the feed.',
      fr: fr(
        'Le webhook n’est plus abonné au type de cet événement. Ajoutez-le à `types`, ou lisez l’événement dans le fil.',
      ),
    },
  },
});

export const LIVRAISON = errorsOf('Livraison', {
  NotFound: {
    status: 404,
    title: { en: 'Delivery not found', fr: fr('Livraison introuvable') },
    description: {
      en: 'The endpoint has no delivery with this id. Deliveries are kept for 30 days.',
      fr: fr(
        'Le webhook n’a aucune livraison avec cet identifiant. Les livraisons sont conservées 30 jours.',
      ),
    },
    detail: {
      en: 'The endpoint has no delivery with this id.',
      fr: fr('Le webhook n’a aucune livraison avec cet identifiant.'),
    },
  },
});

export const CERTIFICATION = errorsOf('Certification', {
  NotFound: {
    status: 404,
    title: { en: 'No certification', fr: fr('Aucune certification') },
    description: {
      en: 'The endpoint has no certification, or none with this id. Certifications are kept for 30 days.',
      fr: fr(
        'Le webhook n’a aucune certification, ou aucune avec cet identifiant. Les certifications sont conservées 30 jours.',
      ),
    },
  },
});

/** Errors of endpoints, deliveries and certifications. */
export const WEBHOOKS_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(WEBHOOK),
  ...Object.values(LIVRAISON),
  ...Object.values(CERTIFICATION),
];
