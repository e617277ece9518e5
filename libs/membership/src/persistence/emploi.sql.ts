import { activeOn, TODAY } from './days.sql';

/** The identifier of the employment that stands for the single employer of V1 (docs/adr/0007). */
export const EMPLOI_V1 = 'V1';

/**
 * SQL of the employer that V1 shows for an employee: the one that V1 wrote last, else that of the most recent active
 * employment (docs/contract.md, "Employees").
 *
 * @param employe alias of the employee's row
 */
export function employeurV1(employe: string): string {
  return `CASE WHEN ${employe}.a_emplois THEN (
    SELECT m.identifiant_externe_employeur
    FROM emploi m
    WHERE m.tenant_id = ${employe}.tenant_id AND m.id_externe_employe = ${employe}.id_externe
      AND ${activeOn(TODAY, 'm.')}
    ORDER BY m.identifiant_externe = '${EMPLOI_V1}' DESC, m.date_debut DESC NULLS LAST,
      m.date_creation DESC, m.id_unique DESC
    LIMIT 1
  ) ELSE ${employe}.identifiant_externe_employeur END`;
}

/**
 * The statement by which V1 writes the employer of employees whose employments are rows of `emploi`. An employer other
 * than the one that V1 shows becomes the employment V1, which keeps its number only at the same employer. No employer
 * ends the employment V1. Employments that V2 wrote do not change.
 *
 * It selects its effects: the number of employees that it has `touched`, those of them that this transaction had not
 * `changed` before, the employments that have `ended`, and the employee numbers that it has `cleared`.
 *
 * @param wanted SQL that selects `id_externe` and `employeur` for employees of the tenant `$1`
 * @param unwritten SQL: this transaction has not written the employee `e`
 */
export function writeEmployeurV1(wanted: string, unwritten = 'true'): string {
  return `
    WITH moved AS (
      SELECT e.id_externe, w.employeur, ${unwritten} AS unwritten
      FROM (${wanted}) w
      JOIN employe e ON e.tenant_id = $1 AND e.id_externe = w.id_externe
      WHERE EXISTS (SELECT FROM employe WHERE tenant_id = $1 AND a_emplois)
        AND e.a_emplois
        AND w.employeur IS DISTINCT FROM ${employeurV1('e')}
    ), ended AS (
      UPDATE emploi m SET date_fin = ${TODAY}
      FROM moved
      WHERE moved.employeur IS NULL
        AND m.tenant_id = $1 AND m.id_externe_employe = moved.id_externe
        AND m.identifiant_externe = '${EMPLOI_V1}' AND ${activeOn(TODAY, 'm.')}
      RETURNING m.id_externe_employe
    ), begun AS (
      INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur, date_debut)
      SELECT $1, id_externe, '${EMPLOI_V1}', employeur, ${TODAY}
      FROM moved
      WHERE employeur IS NOT NULL
      ORDER BY id_externe
      ON CONFLICT (tenant_id, id_externe_employe, identifiant_externe) DO UPDATE
        SET identifiant_externe_employeur = excluded.identifiant_externe_employeur,
            matricule = CASE WHEN emploi.identifiant_externe_employeur = excluded.identifiant_externe_employeur
              THEN emploi.matricule END,
            date_debut = excluded.date_debut,
            date_fin = NULL
      RETURNING id_externe_employe, old.matricule IS NOT NULL AND new.matricule IS NULL AS cleared
    ), touched AS (
      UPDATE employe SET derniere_maj = clock_timestamp()
      WHERE tenant_id = $1
        AND id_externe IN (SELECT id_externe_employe FROM ended UNION SELECT id_externe_employe FROM begun)
      RETURNING id_externe
    )
    SELECT (SELECT count(*)::int FROM touched) AS touched,
      (SELECT count(*)::int FROM touched JOIN moved USING (id_externe) WHERE moved.unwritten) AS changed,
      (SELECT count(*)::int FROM ended) AS ended,
      (SELECT count(*)::int FROM begun WHERE cleared) AS cleared`;
}
