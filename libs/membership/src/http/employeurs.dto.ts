import { Input, Shown } from '#shared/http/field.decorator';
import { PagingQuery } from '#shared/http/listing';
import { EMPLOYEUR_FIELDS, EmployeurRecord } from '../domain/employeur.fields';
import { modifieDepuis } from './master-data.dto';

/** Body of POST and PUT. */
export class EmployeurInput implements EmployeurRecord {
  @Input(EMPLOYEUR_FIELDS.idExterne)
  idExterne: string;

  @Input(EMPLOYEUR_FIELDS.nom)
  nom: string;

  @Input(EMPLOYEUR_FIELDS.idUnique)
  idUnique?: unknown;

  @Input(EMPLOYEUR_FIELDS.derniereMAJ)
  derniereMAJ?: unknown;

  @Input(EMPLOYEUR_FIELDS.dateCreation)
  dateCreation?: unknown;
}

/** An employer as V1 shows it. */
export class EmployeurItem {
  @Shown(EMPLOYEUR_FIELDS.idExterne)
  idExterne: string;

  @Shown(EMPLOYEUR_FIELDS.nom)
  nom: string;

  @Shown(EMPLOYEUR_FIELDS.idUnique, { always: true, format: 'uuid' })
  idUnique: string;

  @Shown(EMPLOYEUR_FIELDS.derniereMAJ, { always: true, format: 'date-time' })
  derniereMAJ: string;

  @Shown(EMPLOYEUR_FIELDS.dateCreation, { always: true, format: 'date-time' })
  dateCreation: string;
}

export class EmployeurList extends PagingQuery {
  @Input(modifieDepuis)
  modifieDepuis?: Date;
}
