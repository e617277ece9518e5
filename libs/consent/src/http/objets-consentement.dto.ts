import { Input, Shown } from '#shared/http/field.decorator';
import { OBJET_CONSENTEMENT_FIELDS, type ObjetConsentementRecord } from '../domain/objet-consentement.fields';

class ObjetConsentementBody {
  @Input(OBJET_CONSENTEMENT_FIELDS.nom)
  nom: string;

  @Input(OBJET_CONSENTEMENT_FIELDS.idUnique)
  idUnique?: unknown;

  @Input(OBJET_CONSENTEMENT_FIELDS.derniereMAJ)
  derniereMAJ?: unknown;

  @Input(OBJET_CONSENTEMENT_FIELDS.dateCreation)
  dateCreation?: unknown;
}

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
export class ObjetConsentementItem {
  @Shown(OBJET_CONSENTEMENT_FIELDS.idExterne)
  idExterne: string;

  @Shown(OBJET_CONSENTEMENT_FIELDS.nom)
  nom: string;

  @Shown(OBJET_CONSENTEMENT_FIELDS.idUnique, { always: true, format: 'uuid' })
  idUnique: string;

  @Shown(OBJET_CONSENTEMENT_FIELDS.derniereMAJ, { always: true, format: 'date-time' })
  derniereMAJ: string;

  @Shown(OBJET_CONSENTEMENT_FIELDS.dateCreation, { always: true, format: 'date-time' })
  dateCreation: string;
}
