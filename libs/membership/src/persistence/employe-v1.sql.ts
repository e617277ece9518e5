import { itemColumns, jsonObject } from '#platform/database/json-items';
import { EMPLOYE_FIELDS } from '../domain/employe.fields';
import { employeurV1 } from './emploi.sql';
import { VALEURS_V1 } from './valeur-champ.sql';

/** SQL of the properties of an employee in V1, for a row of `employe`; `$1` is the tenant. */
export const EMPLOYE_V1_COLUMNS = {
  ...itemColumns(EMPLOYE_FIELDS),
  identifiantExterneEmployeur: employeurV1('employe'),
  valeursChampUtilisateur: VALEURS_V1,
};

/**
 * SQL of an employee of the tenant `$1` as a JSON object of V1.
 *
 * @param id SQL of the employee's external identifier
 */
export function employeV1(id: string): string {
  return `(
    SELECT ${jsonObject(EMPLOYE_V1_COLUMNS)} FROM employe WHERE employe.tenant_id = $1 AND employe.id_externe = ${id}
  )`;
}
