import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const WEBHOOK = errorsOf('Webhook', {
  NotFound: {
    status: 404,
    title: 'Endpoint not found',
    description: 'No endpoint of the tenant has this id.',
  },
  AdresseRefusee: {
    status: 400,
    title: 'Address refused',
    description:
      'Events are sent to https on port 443 under public addresses only, without user or fragment. Give an address that the internet reaches.',
  },
  TropNombreux: {
    status: 409,
    title: 'Too many endpoints',
    description: 'A tenant has at most 50 endpoints. Delete one that is no longer used.',
  },
  Inactif: {
    status: 409,
    title: 'Endpoint not active',
    description: 'Nothing is sent to an endpoint that is not active. Set `actif` to true first.',
  },
  TypeNonAbonne: {
    status: 409,
    title: 'Type not heard of',
    description:
      'The endpoint does not hear of the type of this event any more. Add it to `types`, or read the event in the feed.',
  },
});

export const LIVRAISON = errorsOf('Livraison', {
  NotFound: {
    status: 404,
    title: 'Delivery not found',
    description: 'The endpoint has no delivery with this id. Deliveries are kept for 30 days.',
  },
});

/** Errors of endpoints and deliveries. */
export const WEBHOOKS_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(WEBHOOK),
  ...Object.values(LIVRAISON),
];
