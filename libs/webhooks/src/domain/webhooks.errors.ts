import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const WEBHOOK = errorsOf('Webhook', {
  NotFound: {
    status: 404,
    title: 'Endpoint not found',
    description: 'The tenant has no endpoint with this id.',
  },
  AdresseRefusee: {
    status: 400,
    title: 'Address refused',
    description: 'The address must be https on port 443, on the public internet, without user or fragment.',
  },
  TropNombreux: {
    status: 409,
    title: 'Too many endpoints',
    description: 'A tenant has at most 50 endpoints. Delete an unused one.',
  },
  RotationsTropNombreuses: {
    status: 409,
    title: 'Too many rotations',
    description:
      'Five replaced secrets of the endpoint still sign, each for 24 hours. Rotate again once the oldest has ended.',
  },
  Inactif: {
    status: 409,
    title: 'Endpoint not active',
    description: 'The endpoint is not active. Set `actif` to true first.',
  },
  CertificationEnCours: {
    status: 409,
    title: 'Certification runs',
    description: 'A certification of the endpoint has not ended. Wait for its verdict.',
  },
  TypeNonAbonne: {
    status: 409,
    title: 'Type not subscribed',
    description:
      'The endpoint no longer subscribes to the type of this event. Add it to `types`, or read the event in the feed.',
  },
});

export const LIVRAISON = errorsOf('Livraison', {
  NotFound: {
    status: 404,
    title: 'Delivery not found',
    description: 'The endpoint has no delivery with this id. Deliveries are kept for 30 days.',
  },
});

export const CERTIFICATION = errorsOf('Certification', {
  NotFound: {
    status: 404,
    title: 'No certification',
    description:
      'The endpoint has no certification, or none with this id. Certifications are kept for 30 days.',
  },
});

/** Errors of endpoints, deliveries and certifications. */
export const WEBHOOKS_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(WEBHOOK),
  ...Object.values(LIVRAISON),
  ...Object.values(CERTIFICATION),
];
