import { Input, Shown } from '#shared/http/field.decorator';
import { PagingQuery } from '#shared/http/listing';
import { EMPLOYE_FIELDS, EmployeRecord } from '../domain/employe.fields';
import { modifieDepuis } from './master-data.dto';

/** Body of POST and PUT; PUT replaces every field, and one that is absent is cleared. */
export class EmployeInput implements EmployeRecord {
  @Input(EMPLOYE_FIELDS.idExterne)
  idExterne: string;

  @Input(EMPLOYE_FIELDS.prenom)
  prenom: string;

  @Input(EMPLOYE_FIELDS.nom)
  nom: string;

  @Input(EMPLOYE_FIELDS.noMembre)
  noMembre?: string | null;

  @Input(EMPLOYE_FIELDS.courriel)
  courriel?: string | null;

  @Input(EMPLOYE_FIELDS.identifiantExterneEmployeur)
  identifiantExterneEmployeur?: string | null;

  @Input(EMPLOYE_FIELDS.telephonePrincipal)
  telephonePrincipal?: string | null;

  @Input(EMPLOYE_FIELDS.adresse1)
  adresse1?: string | null;

  @Input(EMPLOYE_FIELDS.ville)
  ville?: string | null;

  @Input(EMPLOYE_FIELDS.province)
  province?: string | null;

  @Input(EMPLOYE_FIELDS.codePostal)
  codePostal?: string | null;

  @Input(EMPLOYE_FIELDS.idUnique)
  idUnique?: unknown;

  @Input(EMPLOYE_FIELDS.derniereMAJ)
  derniereMAJ?: unknown;

  @Input(EMPLOYE_FIELDS.dateCreation)
  dateCreation?: unknown;
}

/** An employee as V1 shows it. */
export class EmployeItem {
  @Shown(EMPLOYE_FIELDS.idExterne)
  idExterne: string;

  @Shown(EMPLOYE_FIELDS.prenom)
  prenom: string;

  @Shown(EMPLOYE_FIELDS.nom)
  nom: string;

  @Shown(EMPLOYE_FIELDS.noMembre)
  noMembre: string | null;

  @Shown(EMPLOYE_FIELDS.courriel)
  courriel: string | null;

  @Shown(EMPLOYE_FIELDS.identifiantExterneEmployeur)
  identifiantExterneEmployeur: string | null;

  @Shown(EMPLOYE_FIELDS.telephonePrincipal)
  telephonePrincipal: string | null;

  @Shown(EMPLOYE_FIELDS.adresse1)
  adresse1: string | null;

  @Shown(EMPLOYE_FIELDS.ville)
  ville: string | null;

  @Shown(EMPLOYE_FIELDS.province)
  province: string | null;

  @Shown(EMPLOYE_FIELDS.codePostal)
  codePostal: string | null;

  @Shown(EMPLOYE_FIELDS.idUnique, { always: true, format: 'uuid' })
  idUnique: string;

  @Shown(EMPLOYE_FIELDS.derniereMAJ, { always: true, format: 'date-time' })
  derniereMAJ: string;

  @Shown(EMPLOYE_FIELDS.dateCreation, { always: true, format: 'date-time' })
  dateCreation: string;
}

export class EmployeList extends PagingQuery {
  @Input(modifieDepuis)
  modifieDepuis?: Date;
}
