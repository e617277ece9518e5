import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { PagingQuery } from '#platform/http/listing';
import { EMPLOYEUR_FIELDS } from '../domain/employeur.fields';
import { modifieDepuis } from './master-data.dto';

/** Body of POST and PUT. */
export class EmployeurInput extends InputOf(EMPLOYEUR_FIELDS) {}

/** An employer as V1 shows it. */
export class EmployeurItem extends ItemOf(EMPLOYEUR_FIELDS) {}

export class EmployeurList extends PagingQuery {
  @Input(modifieDepuis)
  modifieDepuis?: Date;
}
