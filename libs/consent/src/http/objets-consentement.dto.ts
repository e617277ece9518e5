import { InputOf, ItemOf } from '#platform/input/record-classes';
import { OBJET_CONSENTEMENT_FIELDS } from '../domain/objet-consentement.fields';

/** Body of POST and PUT. */
export class ObjetConsentementInput extends InputOf(OBJET_CONSENTEMENT_FIELDS) {}

/** Body of PUT under the identifier itself. */
export class ObjetConsentementReplacement extends InputOf({
  ...OBJET_CONSENTEMENT_FIELDS,
  idExterne: {
    ...OBJET_CONSENTEMENT_FIELDS.idExterne,
    required: false,
    description: 'The identifier in the path, or nothing.',
  },
}) {}

/** A consent object. */
export class ObjetConsentementItem extends ItemOf(OBJET_CONSENTEMENT_FIELDS) {}
