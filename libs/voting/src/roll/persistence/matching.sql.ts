import { activeOn, dayOf, EMPLOIS, EMPLOYES, MEMBERSHIPS } from '#membership/relations';

/** SQL: an employment `m` is active on the day, at an employer of those that are named. */
const MEETS = `((d.sans_employeurs
  OR (c.critere, m.identifiant_externe_employeur) IN (SELECT critere, unnest(employeurs) FROM critere)) AND ${activeOn('d.jour', 'm.')})`;

/**
 * SQL of the employees of the tenant `$1` that meet all criteria of a row of the relation `critere` (its number, the day,
 * and the names of each criterion, null if absent), with the union and the employer that they get as voters
 * (docs/contract.md, "Electoral lists"). Members and employed persons match if a union or an employer is named. If none
 * is, the others match, too, unless all their employments have ended.
 *
 * The statement has the same length for any number of rows, of which each names something. Joins begin at the names and
 * compare them by hash, because a criterion may have 25,000.
 *
 * @param isAmong SQL, after AND, that looks only at some of the employees, by a column of their identifiers
 */
export const matchingAmong = (isAmong: (column: string) => string): string => `
  WITH condition AS MATERIALIZED (
    SELECT critere, jour, syndicats IS NULL AS sans_syndicats, employeurs IS NULL AS sans_employeurs FROM critere
  ), candidat AS MATERIALIZED (
    SELECT critere, id_externe FROM (SELECT critere, unnest(employes) AS id_externe FROM critere) n
    WHERE ${isAmong('id_externe')}
    UNION
    SELECT n.critere, a.id_externe_employe
    FROM (SELECT critere, unnest(syndicats) AS nom FROM critere WHERE employes IS NULL) n
      JOIN ${MEMBERSHIPS} a ON a.tenant_id = $1 AND a.syndicat_id_externe = n.nom AND ${isAmong('a.id_externe_employe')}
    UNION
    SELECT n.critere, m.id_externe_employe
    FROM (SELECT critere, unnest(employeurs) AS nom FROM critere WHERE employes IS NULL AND syndicats IS NULL) n
      JOIN ${EMPLOIS} m ON m.tenant_id = $1 AND m.identifiant_externe_employeur = n.nom AND ${isAmong('m.id_externe_employe')}
  )
  SELECT c.critere, e.id_externe, e.id_unique AS employe_id, e.prenom, e.nom, e.courriel, a.syndicat_id_externe, m.identifiant_externe_employeur
  FROM candidat c
  JOIN condition d ON d.critere = c.critere
  JOIN ${EMPLOYES} e ON e.tenant_id = $1 AND e.id_externe = c.id_externe
  LEFT JOIN (
    -- Of several unions, the one of the oldest membership.
    SELECT DISTINCT ON (c.critere, c.id_externe) c.critere, c.id_externe, a.syndicat_id_externe
    FROM candidat c JOIN condition d ON d.critere = c.critere
      JOIN ${MEMBERSHIPS} a ON a.tenant_id = $1 AND a.id_externe_employe = c.id_externe
    WHERE (d.sans_syndicats OR (c.critere, a.syndicat_id_externe) IN (SELECT critere, unnest(syndicats) FROM critere))
      AND ${activeOn('d.jour', 'a.', 'date_adhesion')}
    ORDER BY c.critere, c.id_externe, ${dayOf('a.date_adhesion')}, a.date_adhesion, a.syndicat_id_externe
  ) a ON a.critere = c.critere AND a.id_externe = c.id_externe
  LEFT JOIN (
    -- A row if there is any employment. Of several employers, the one that V1 would show.
    SELECT DISTINCT ON (c.critere, c.id_externe) c.critere, c.id_externe,
      CASE WHEN ${MEETS} THEN m.identifiant_externe_employeur END AS identifiant_externe_employeur
    FROM candidat c JOIN condition d ON d.critere = c.critere
      JOIN ${EMPLOIS} m ON m.tenant_id = $1 AND m.id_externe_employe = c.id_externe
    ORDER BY c.critere, c.id_externe, ${MEETS} DESC, m.identifiant_externe = 'V1' DESC, m.date_debut DESC NULLS LAST,
      m.date_creation DESC, m.id_unique DESC
  ) m ON m.critere = c.critere AND m.id_externe = c.id_externe
  WHERE (d.sans_syndicats OR a.syndicat_id_externe IS NOT NULL)
    AND (d.sans_employeurs OR m.identifiant_externe_employeur IS NOT NULL)
    AND (a.syndicat_id_externe IS NOT NULL OR m.identifiant_externe_employeur IS NOT NULL OR m.id_externe IS NULL)`;

/** SQL of the employees that meet all criteria, among all. */
export const MATCHING = matchingAmong(() => 'true');

/** SQL of the number of pairs of a criterion and an employee that `MATCHING` looks at, or a few more. */
export const CANDIDATES = `(
  (SELECT count(*) FROM (SELECT unnest(syndicats) AS nom FROM critere WHERE employes IS NULL) n
    JOIN ${MEMBERSHIPS} a ON a.tenant_id = $1 AND a.syndicat_id_externe = n.nom)
  + (SELECT count(*) FROM (SELECT unnest(employeurs) AS nom FROM critere WHERE employes IS NULL AND syndicats IS NULL) n
    JOIN ${EMPLOIS} m ON m.tenant_id = $1 AND m.identifiant_externe_employeur = n.nom)
  + (SELECT coalesce(sum(cardinality(employes)), 0) FROM critere))`;
