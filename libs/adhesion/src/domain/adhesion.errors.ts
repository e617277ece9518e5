import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const ADHESION = errorsOf('Adhesion', {
  NotFound: {
    status: 404,
    title: 'Signed card not found',
    description: 'No signed card of the tenant has this identifier (GUID).',
  },
  LinkedToActiveCampaign: {
    status: 409,
    title: 'Card linked to an active campaign',
    description:
      'The member is a voter of an active campaign of the card’s union or of no union. Delete the card once the campaign has ended.',
  },
  HasPayments: {
    status: 409,
    title: 'Card linked to a payment',
    description:
      'The card is linked to a payment and cannot be deleted. The link cannot be removed: keep the card.',
  },
  HasPaymentAuthorizations: {
    status: 409,
    title: 'Card linked to a payment authorization',
    description:
      'The card is linked to a payment authorization and cannot be deleted. The link cannot be removed: keep the card.',
  },
});

export const SIGNATURE = errorsOf('Signature', {
  NotFound: {
    status: 404,
    title: 'Signature not found',
    description:
      'The card has no handwritten signature or, where an employee is named, none of the employee’s cards has one.',
  },
  ImageInvalide: {
    status: 400,
    title: 'Signature image cannot be shown',
    description:
      'The bytes of `imageSignature` are not one whole PNG image that a viewer can show. Encode the drawing again and send it whole.',
  },
});

export const FORMULAIRE = errorsOf('Formulaire', {
  NotFound: {
    status: 404,
    title: 'Form not found',
    description: 'No form of the tenant has this id.',
  },
  Utilise: {
    status: 409,
    title: 'Form in use',
    description:
      'The form cannot be deleted because cards or requests were signed with it. Set `actif` to false to end its use.',
  },
  Inactif: {
    status: 409,
    title: 'Form not active',
    description: 'The form named by `formulaireId` is not active. Use another form, or set `actif` to true.',
  },
});

export const CONCILIATION = errorsOf('Conciliation', {
  NotFound: {
    status: 404,
    title: 'Request not found',
    description: 'No membership request of the tenant has this id.',
  },
  DejaTraitee: {
    status: 409,
    title: 'Request already decided',
    description: 'The request was already decided otherwise. A decision is final.',
  },
});

/** Errors of signed cards, signatures, forms and membership requests. */
export const ADHESION_ERRORS: readonly ErrorDefinition[] = [
  ADHESION,
  SIGNATURE,
  FORMULAIRE,
  CONCILIATION,
].flatMap((errors) => Object.values<ErrorDefinition>(errors));
