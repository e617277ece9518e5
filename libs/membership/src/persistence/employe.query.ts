import { Injectable } from '@nestjs/common';
import { itemColumns } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { EMPLOYE_FIELDS } from '../domain/employe.fields';
import { employeurV1 } from './emploi.sql';
import { MasterDataQuery } from './master-data.query';
import { VALEURS_V1 } from './valeur-champ.sql';

/** An employee as V1 shows it, of the row of `employe`; `$1` is the tenant. */
export const EMPLOYE_V1_COLUMNS = {
  ...itemColumns(EMPLOYE_FIELDS),
  identifiantExterneEmployeur: employeurV1('employe'),
  valeursChampUtilisateur: VALEURS_V1,
};

/** Employees as V1 shows them (docs/contract.md, "Employees"). */
@Injectable()
export class EmployeQuery extends MasterDataQuery {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'employe_v1',
      table: 'employe',
      columns: EMPLOYE_V1_COLUMNS,
    });
  }
}
