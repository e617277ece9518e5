import { ApiProperty } from '@nestjs/swagger';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { SyncV2ResultItem } from '#sync';
import { NATURES_DEFAUT } from '../domain/electorat.types';
import { ELECTORAT_FIELDS } from '../domain/electorat.fields';

/** Numbers of a synthetic electorate, in a body or a query. */
export class ElectoratInput extends InputOf(ELECTORAT_FIELDS) {}

const EMPREINTE = 'SHA-256 of the export in hexadecimal: the same for the same seed and numbers.';
export const EXAMPLE_EMPREINTE = '8d6a1fd8f1a2c4b7e3907b5c2f4d6e8a9b0c1d2e3f405162738495a6b7c8d9e0';

/** The header with the digest of an export, for `@Answers`. */
export const EMPREINTE_HEADER = 'Mandat-Empreinte';
export const EMPREINTE_HEADERS = { [EMPREINTE_HEADER]: EMPREINTE };

class DefautItem extends ItemOf({
  nature: value.choice(NATURES_DEFAUT, 'Kind of fault.', 'Doublon'),
  nombre: value.integer('Employees that have it.', 2),
}) {}

/** Result of a synthetic electorate. */
export class ElectoratItem extends ItemOf({
  empreinte: value.text(EMPREINTE, EXAMPLE_EMPREINTE),
  defauts: value.list(DefautItem, 'Faults of the export. Kinds that no employee has are left out.'),
  resultat: value.one(SyncV2ResultItem, 'Result of the sync, with the records that it rejected.'),
}) {}

const records = (description: string): PropertyDecorator =>
  ApiProperty({ description, type: 'array', items: { type: 'object', additionalProperties: true } });

/** The export of a synthetic electorate: the body of a V2 sync. */
export class ElectoratExportItem {
  @records('Unions with their employers.')
  Syndicats: object[];

  @records(
    'Employees with their employments and memberships; records with a fault are as real exports have them.',
  )
  Employes: object[];
}
