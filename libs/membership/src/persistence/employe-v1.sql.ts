import { jsonScalar, jsonText } from '#platform/database/json-items';
import { employeurV1 } from './emploi.sql';
import { VALEURS_V1 } from './valeur-champ.sql';

/** SQL of an employee as JSON text of V1, for a row of `employe`; `$1` is the tenant. */
export const EMPLOYE_V1 = jsonText(
  'employe.json_identite',
  { identifiantExterneEmployeur: jsonScalar(employeurV1('employe')) },
  'employe.json_coordonnees',
  { valeursChampUtilisateur: VALEURS_V1 },
  'employe.json_lecture',
);

/**
 * SQL of an employee of the tenant `$1` as JSON text of V1; `null` if there is none.
 *
 * @param id SQL of the employee's external identifier
 */
export function employeV1(id: string): string {
  return `coalesce(
    (SELECT ${EMPLOYE_V1} FROM employe WHERE employe.tenant_id = $1 AND employe.id_externe = ${id}), 'null'
  )`;
}
