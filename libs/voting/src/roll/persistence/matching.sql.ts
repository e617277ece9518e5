import { activeOn, dayOf, EMPLOIS, EMPLOYES, hasBegun, MEMBERSHIPS } from '#membership/relations';

/** SQL: `value` is among the names of the criterion `c.critere`. */
const isNamed = (names: string, value: string): string =>
  `(c.critere, ${value}) IN (SELECT critere, unnest(${names}) FROM critere)`;

/** SQL: an employment `m` is at an employer of those that are named, and active on the day. */
const AT_NAMED = `(d.sans_employeurs OR ${isNamed('employeurs', 'm.identifiant_externe_employeur')})`;
const MEETS = `(${AT_NAMED} AND ${activeOn('d.jour', 'm.')})`;

const IS_MEMBER = activeOn('d.jour', 'a.', 'date_adhesion');

/**
 * SQL of the pairs of the relation `candidat` (the number of a row of `critere`, and an employee of the tenant `$1`), each with a column
 * for each predicate of the row, and the membership and the employment that were found for it. A row of `critere` has its number, the
 * day, and the names of each criterion, null if absent (docs/contract.md, "Electoral lists").
 *
 * Selecting and explaining voters read these columns: `MATCHING` those for which all predicates hold, `MOTIFS` each predicate.
 */
const EVALUATED = `
  SELECT c.critere, e.id_externe, e.id_unique AS employe_id, e.prenom, e.nom, e.courriel, d.sans_employes, d.sans_syndicats, d.sans_employeurs,
    d.sans_employes OR ${isNamed('employes', 'c.id_externe')} AS nomme,
    d.sans_syndicats OR a.convient IS TRUE AS membre,
    d.sans_employeurs OR m.convient IS TRUE AS employe,
    -- Without a named union or employer: members, employed persons, and those without any employment.
    a.convient IS TRUE OR m.convient IS TRUE OR m.id_externe IS NULL AS present,
    a.convient IS TRUE AS adhesion_convient, a.commence AS adhesion_commence, a.syndicat_id_externe AS adhesion, a.date_adhesion, a.date_fin AS adhesion_fin,
    m.convient IS TRUE AS emploi_convient, m.chez AS emploi_chez, m.commence AS emploi_commence, m.identifiant_externe_employeur AS emploi,
    m.date_debut AS emploi_debut, m.date_fin AS emploi_fin
  FROM candidat c
  JOIN condition d ON d.critere = c.critere
  JOIN ${EMPLOYES} e ON e.tenant_id = $1 AND e.id_externe = c.id_externe
  LEFT JOIN (
    -- Of several unions, the one of the oldest active membership; without an active one, the latest.
    SELECT DISTINCT ON (c.critere, c.id_externe) c.critere, c.id_externe, a.syndicat_id_externe, a.date_adhesion, a.date_fin,
      ${IS_MEMBER} AS convient, ${hasBegun('d.jour', 'a.', 'date_adhesion')} AS commence
    FROM candidat c JOIN condition d ON d.critere = c.critere
      JOIN ${MEMBERSHIPS} a ON a.tenant_id = $1 AND a.id_externe_employe = c.id_externe
    WHERE d.sans_syndicats OR ${isNamed('syndicats', 'a.syndicat_id_externe')}
    ORDER BY c.critere, c.id_externe, (${IS_MEMBER}) DESC, CASE WHEN NOT (${IS_MEMBER}) THEN a.date_adhesion END DESC NULLS LAST,
      ${dayOf('a.date_adhesion')}, a.date_adhesion, a.syndicat_id_externe
  ) a ON a.critere = c.critere AND a.id_externe = c.id_externe
  LEFT JOIN (
    -- A row if there is any employment. Of several employers, the one that V1 would show.
    SELECT DISTINCT ON (c.critere, c.id_externe) c.critere, c.id_externe, m.identifiant_externe_employeur, m.date_debut, m.date_fin,
      ${MEETS} AS convient, ${AT_NAMED} AS chez, ${hasBegun('d.jour', 'm.')} AS commence
    FROM candidat c JOIN condition d ON d.critere = c.critere
      JOIN ${EMPLOIS} m ON m.tenant_id = $1 AND m.id_externe_employe = c.id_externe
    ORDER BY c.critere, c.id_externe, ${MEETS} DESC, ${AT_NAMED} DESC, m.identifiant_externe = 'V1' DESC, m.date_debut DESC NULLS LAST,
      m.date_creation DESC, m.id_unique DESC
  ) m ON m.critere = c.critere AND m.id_externe = c.id_externe`;

/** SQL condition on columns of `EVALUATED`: all predicates of the row of criteria hold. */
const HOLDS = 'nomme AND membre AND employe AND present';

const CONDITION = `condition AS MATERIALIZED (
    SELECT critere, jour, employes IS NULL AS sans_employes, syndicats IS NULL AS sans_syndicats, employeurs IS NULL AS sans_employeurs FROM critere
  )`;

/**
 * SQL of the employees of the tenant `$1` that meet all criteria of a row of the relation `critere`, with the union and the employer that
 * they get as voters, and since when they have been there. Members and employed persons match if a union or an employer is named. If none
 * is, the others match, too, unless all their employments have ended.
 *
 * The statement has the same length for any number of rows, of which each names something. Joins begin at the names and
 * compare them by hash, because a criterion may have 25,000.
 *
 * @param isAmong SQL, after AND, that looks only at some of the employees, by a column of their identifiers
 */
export const matchingAmong = (isAmong: (column: string) => string): string => `
  WITH ${CONDITION}, candidat AS MATERIALIZED (
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
  SELECT critere, id_externe, employe_id, prenom, nom, courriel,
    CASE WHEN adhesion_convient THEN adhesion END AS syndicat_id_externe, CASE WHEN adhesion_convient THEN date_adhesion END AS adhesion_debut,
    CASE WHEN emploi_convient THEN emploi END AS identifiant_externe_employeur, CASE WHEN emploi_convient THEN emploi_debut END AS emploi_debut
  FROM (${EVALUATED}) v WHERE ${HOLDS}`;

/** SQL of the employees that meet all criteria, among all. */
export const MATCHING = matchingAmong(() => 'true');

/**
 * SQL of the predicates of each pair of `candidat`, after WITH and the relations `critere` and `candidat`: the criterion, whether it holds,
 * the code of the reason (`REASONS` of the domain), the union or the employer, and since when it is so. `convient` says whether all hold.
 */
export const MOTIFS = `${CONDITION}, motif AS (
    SELECT v.critere, v.id_externe, ${HOLDS} AS convient, p.champ, p.tient, p.code, p.reference, p.depuis
    FROM (${EVALUATED}) v CROSS JOIN LATERAL (VALUES
      ('EmployesIdExternes', NOT sans_employes, nomme, CASE WHEN nomme THEN 'EmployeNomme' ELSE 'EmployeHorsCritere' END, NULL, NULL),
      ('SyndicatsIdExternes', NOT sans_syndicats, membre, CASE WHEN membre THEN 'AdhesionActive' WHEN adhesion IS NULL THEN 'AdhesionAbsente'
        WHEN adhesion_commence THEN 'AdhesionTerminee' ELSE 'AdhesionPosterieure' END,
        adhesion, CASE WHEN membre OR NOT adhesion_commence THEN date_adhesion ELSE adhesion_fin END),
      ('EmployeursIdentifiantsExternes', NOT sans_employeurs, employe, CASE WHEN employe THEN 'EmploiActif'
        WHEN emploi_chez IS NOT TRUE THEN 'EmployeurHorsCritere' WHEN emploi_commence THEN 'EmploiTermine' ELSE 'EmploiPosterieur' END,
        emploi, CASE WHEN emploi_chez IS NOT TRUE THEN NULL WHEN employe OR NOT emploi_commence THEN emploi_debut ELSE emploi_fin END),
      ('EmployesIdExternes', sans_syndicats AND sans_employeurs, present, CASE WHEN adhesion_convient THEN 'AdhesionActive'
        WHEN emploi_convient THEN 'EmploiActif' WHEN present THEN 'SansEmploi' WHEN emploi_commence THEN 'EmploiTermine' ELSE 'EmploiPosterieur' END,
        CASE WHEN adhesion_convient THEN adhesion ELSE emploi END,
        CASE WHEN adhesion_convient THEN date_adhesion WHEN emploi_convient OR NOT emploi_commence THEN emploi_debut ELSE emploi_fin END)
    ) p (champ, compte, tient, code, reference, depuis) WHERE p.compte
  )`;

/** SQL of the number of pairs of a criterion and an employee that `MATCHING` looks at, or a few more. */
export const CANDIDATES = `(
  (SELECT count(*) FROM (SELECT unnest(syndicats) AS nom FROM critere WHERE employes IS NULL) n
    JOIN ${MEMBERSHIPS} a ON a.tenant_id = $1 AND a.syndicat_id_externe = n.nom)
  + (SELECT count(*) FROM (SELECT unnest(employeurs) AS nom FROM critere WHERE employes IS NULL AND syndicats IS NULL) n
    JOIN ${EMPLOIS} m ON m.tenant_id = $1 AND m.identifiant_externe_employeur = n.nom)
  + (SELECT coalesce(sum(cardinality(employes)), 0) FROM critere))`;
