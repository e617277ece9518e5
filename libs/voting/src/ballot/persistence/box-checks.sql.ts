/** Finds the closed boxes of a database, as its superuser, except those that an administrator has sealed without a result. */
export const CLOSED_BOXES = `SELECT tenant_id AS "tenantId", id_unique AS id, urne_scellee AS "isSealed" FROM campagne
  WHERE urne_close AND urne_constat IS NULL ORDER BY tenant_id, id_unique`;

/** Returns the failed checks of a closed box, as before a sealing. Values: tenant, campaign. */
export const CHECK_BOX = `SELECT urne_controler($2) AS faults FROM (SELECT set_config('app.tenant_id', $1, false)) entered`;

/** Returns the differences of a sealed box from its count. Values: tenant, campaign. */
export const RECOUNT_BOX = `
  WITH vote AS (
    SELECT chiffree, dechiffree FROM campagne WHERE tenant_id = $1 AND id_unique = $2
  ), recount AS (
    SELECT u.place - 1 AS question, CASE WHEN q.est_preferentiel THEN split_part(u.answer, ',', 1) ELSE u.answer END AS reponse,
      count(*)::numeric AS bulletins, sum(b.poids) AS poids
    FROM bulletin b CROSS JOIN LATERAL unnest(b.reponses) WITH ORDINALITY u (answer, place)
      JOIN urne_question q ON q.tenant_id = b.tenant_id AND q.campagne_id = b.campagne_id AND q.place = u.place - 1
    WHERE b.tenant_id = $1 AND b.campagne_id = $2 GROUP BY 1, 2
    UNION ALL
    -- An encrypted ballot shows no answer, so each question has all of them.
    SELECT q.place, '*', count(*)::numeric, sum(b.poids)
    FROM vote CROSS JOIN bulletin b JOIN urne_question q ON q.tenant_id = b.tenant_id AND q.campagne_id = b.campagne_id
    WHERE vote.dechiffree AND b.tenant_id = $1 AND b.campagne_id = $2 GROUP BY 1
  ), kept AS (
    SELECT d.question, CASE WHEN vote.chiffree THEN '*' ELSE d.reponse END AS reponse, sum(d.bulletins) AS bulletins,
      sum(d.poids) AS poids
    FROM depouillement d CROSS JOIN vote
    WHERE d.tenant_id = $1 AND d.campagne_id = $2
      AND (NOT vote.chiffree OR vote.dechiffree AND d.reponse IN ('', '=')) GROUP BY 1, 2
  )
  SELECT array_remove(ARRAY[
    CASE WHEN EXISTS (TABLE recount EXCEPT TABLE kept) OR EXISTS (TABLE kept EXCEPT TABLE recount) THEN 'depouillement' END,
    CASE WHEN (SELECT coalesce(sum(ayant_vote), 0) FROM participation WHERE tenant_id = $1 AND campagne_id = $2)
      <> (SELECT count(*) FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND a_vote) THEN 'participation' END
  ], NULL) AS faults`;
