import { Input, Shown } from '#shared/http/field.decorator';
import { FORMULAIRE_FIELDS, type FormulaireRecord } from '../domain/formulaire.fields';

/** Body of POST and PUT; PUT replaces every property. */
export class FormulaireInput implements FormulaireRecord {
  @Input(FORMULAIRE_FIELDS.titre)
  titre: string;

  @Input(FORMULAIRE_FIELDS.syndicatIdExterne)
  syndicatIdExterne: string;

  @Input(FORMULAIRE_FIELDS.actif)
  actif?: boolean | null;

  @Input(FORMULAIRE_FIELDS.champs)
  champs?: string[] | null;

  @Input(FORMULAIRE_FIELDS.objetsConsentement)
  objetsConsentement?: string[] | null;

  @Input(FORMULAIRE_FIELDS.id)
  id?: unknown;
}

/** A form that members fill to sign. */
export class FormulaireItem {
  @Shown(FORMULAIRE_FIELDS.id, { always: true, format: 'uuid' })
  id: string;

  @Shown(FORMULAIRE_FIELDS.titre)
  titre: string;

  @Shown({ ...FORMULAIRE_FIELDS.syndicatIdExterne, description: 'The union that the form is for.' })
  syndicatIdExterne: string;

  @Shown(
    { ...FORMULAIRE_FIELDS.actif, description: 'Whether cards can be signed with it.' },
    { always: true },
  )
  actif: boolean;

  @Shown(FORMULAIRE_FIELDS.champs, { always: true })
  champs: string[];

  @Shown(FORMULAIRE_FIELDS.objetsConsentement, { always: true })
  objetsConsentement: string[];
}
