import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { omit } from '#platform/input/field';
import { OBJET_CONSENTEMENT_FIELDS, type ObjetConsentementRecord } from '../domain/objet-consentement.fields';

class ObjetConsentementBody extends InputOf(omit(OBJET_CONSENTEMENT_FIELDS, 'idExterne')) {}

/** Body of POST and PUT. */
export class ObjetConsentementInput extends ObjetConsentementBody implements ObjetConsentementRecord {
  @Input(OBJET_CONSENTEMENT_FIELDS.idExterne)
  idExterne: string;
}

/** Body of PUT under the identifier itself. */
export class ObjetConsentementReplacement extends ObjetConsentementBody {
  @Input({
    ...OBJET_CONSENTEMENT_FIELDS.idExterne,
    required: false,
    description: 'The identifier in the path, or nothing.',
  })
  idExterne?: string | null;
}

/** A consent object. */
export class ObjetConsentementItem extends ItemOf(OBJET_CONSENTEMENT_FIELDS) {}
