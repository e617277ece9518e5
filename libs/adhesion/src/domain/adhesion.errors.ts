import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

export const ADHESION = errorsOf('Adhesion', {
  NotFound: {
    status: 404,
    title: { en: 'Signed card not found', fr: fr('Adhésion signée introuvable') },
    description: {
      en: 'No signed card of the tenant has this identifier (GUID).',
      fr: fr('Aucune adhésion signée de l’espace de données n’a cet identifiant (GUID).'),
    },
    detail: {
      en: 'No signed card has this identifier.',
      fr: fr('Aucune adhésion signée n’a cet identifiant.'),
    },
  },
  LinkedToActiveCampaign: {
    status: 409,
    title: { en: 'Card linked to an active campaign', fr: fr('Adhésion liée à une campagne active') },
    description: {
      en: 'The member is a voter of an active campaign of the card’s union or of no union. Delete the card once the campaign has ended.',
      fr: fr(
        'Le membre est votant d’une campagne active, du syndicat de l’adhésion ou sans syndicat. Supprimez l’adhésion une fois la campagne terminée.',
      ),
    },
  },
  HasPayments: {
    status: 409,
    title: { en: 'Card linked to a payment', fr: fr('Adhésion liée à un paiement') },
    description: {
      en: 'The card is linked to a payment and cannot be deleted. The link cannot be removed: keep the card.',
      fr: fr(
        'L’adhésion est liée à un paiement et ne peut pas être supprimée. Le lien ne peut pas être retiré : conservez l’adhésion.',
      ),
    },
  },
  HasPaymentAuthorizations: {
    status: 409,
    title: {
      en: 'Card linked to a payment authorization',
      fr: fr('Adhésion liée à une autorisation de paiement'),
    },
    description: {
      en: 'The card is linked to a payment authorization and cannot be deleted. The link cannot be removed: keep the card.',
      fr: fr(
        'L’adhésion est liée à une autorisation de paiement et ne peut pas être supprimée. Le lien ne peut pas être retiré : conservez l’adhésion.',
      ),
    },
  },
});

export const SIGNATURE = errorsOf('Signature', {
  NotFound: {
    status: 404,
    title: { en: 'Signature not found', fr: fr('Signature introuvable') },
    description: {
      en: 'The card has no handwritten signature or, where an employee is named, none of the employee’s cards has one.',
      fr: fr(
        'L’adhésion n’a pas de signature manuscrite ou, si un employé est nommé, aucune de ses adhésions n’en a une.',
      ),
    },
  },
  ImageInvalide: {
    status: 400,
    title: { en: 'Signature image cannot be shown', fr: fr('Image de signature illisible') },
    description: {
      en: 'The bytes of `imageSignature` are not one whole PNG image that a viewer can show. Encode the drawing again and send it whole.',
      fr: fr(
        'Les octets de `imageSignature` ne forment pas une image PNG entière qu’un logiciel peut afficher. Encodez le dessin de nouveau et envoyez-le en entier.',
      ),
    },
  },
});

export const FORMULAIRE = errorsOf('Formulaire', {
  NotFound: {
    status: 404,
    title: { en: 'Form not found', fr: fr('Formulaire introuvable') },
    description: {
      en: 'No form of the tenant has this id.',
      fr: fr('Aucun formulaire de l’espace de données n’a cet identifiant.'),
    },
    detail: { en: 'No form has this id.', fr: fr('Aucun formulaire n’a cet identifiant.') },
  },
  Utilise: {
    status: 409,
    title: { en: 'Form in use', fr: fr('Formulaire utilisé') },
    description: {
      en: 'The form cannot be deleted because cards or requests were signed with it. Set `actif` to false to end its use.',
      fr: fr(
        'Le formulaire ne peut pas être supprimé, car des adhésions ou des demandes ont été signées avec lui. Mettez `actif` à false pour mettre fin à son utilisation.',
      ),
    },
  },
  Inactif: {
    status: 409,
    title: { en: 'Form not active', fr: fr('Formulaire inactif') },
    description: {
      en: 'The form named by `formulaireId` is not active. Use another form, or set `actif` to true.',
      fr: fr(
        'Le formulaire nommé par `formulaireId` n’est pas actif. Utilisez un autre formulaire, ou mettez `actif` à true.',
      ),
    },
  },
});

export const CONCILIATION = errorsOf('Conciliation', {
  NotFound: {
    status: 404,
    title: { en: 'Request not found', fr: fr('Demande introuvable') },
    description: {
      en: 'No membership request of the tenant has this id.',
      fr: fr('Aucune demande d’adhésion de l’espace de données n’a cet identifiant.'),
    },
    detail: {
      en: 'No membership request has this id.',
      fr: fr('Aucune demande d’adhésion n’a cet identifiant.'),
    },
  },
  DejaTraitee: {
    status: 409,
    title: { en: 'Request already decided', fr: fr('Demande déjà traitée') },
    description: {
      en: 'The request was already decided otherwise. A decision is final.',
      fr: fr('La décision contraire a déjà été prise pour cette demande. Une décision est définitive.'),
    },
  },
});

/** Errors of signed cards, signatures, forms and membership requests. */
export const ADHESION_ERRORS: readonly ErrorDefinition[] = [
  ADHESION,
  SIGNATURE,
  FORMULAIRE,
  CONCILIATION,
].flatMap((errors) => Object.values<ErrorDefinition>(errors));
