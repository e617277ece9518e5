-- Returns the same as urne_compter by union and employer, with the first choices of rankings, if it is published. Only
-- processes of an earlier release call it; urne_depouiller replaces it.
CREATE OR REPLACE FUNCTION urne_compter_par(campagne uuid, syndicat text, employeur text)
  RETURNS TABLE (question integer, reponse text, bulletins bigint, poids numeric)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  -- Each statement is planned for its values, because filters may be absent.
  SET plan_cache_mode = force_custom_plan
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  IF urne_divulgue($1, $2, $3) IS NOT TRUE THEN RETURN; END IF;
  IF (
    SELECT c.urne_scellee FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
  ) THEN
    RETURN QUERY
    SELECT d.question, d.reponse, sum(d.bulletins)::bigint, sum(d.poids)
    FROM depouillement d
    WHERE d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND d.campagne_id = $1
      AND (($2 IS NULL OR d.syndicat_id_externe = $2) AND ($3 IS NULL OR d.employeur_identifiant_externe = $3))
    GROUP BY 1, 2;
  ELSE
    RETURN QUERY
    SELECT f.question, f.reponse, sum(f.ballots)::bigint, sum(f.ballots * f.poids)
    FROM (
      SELECT g.tenant_id, g.campagne_id, g.syndicat, g.employeur, g.poids, q.place AS question,
        CASE WHEN q.est_preferentiel THEN split_part(u.answer, ',', 1) ELSE u.answer END AS reponse, g.ballots
      FROM (
        SELECT b.tenant_id, b.campagne_id, b.syndicat_id_externe AS syndicat,
          b.employeur_identifiant_externe AS employeur, b.poids, b.reponses, count(*) AS ballots
        FROM bulletin b
        WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
          AND (($2 IS NULL OR b.syndicat_id_externe = $2) AND ($3 IS NULL OR b.employeur_identifiant_externe = $3))
        GROUP BY 1, 2, 3, 4, 5, 6
      ) g
        CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
        JOIN urne_question q
          ON q.tenant_id = g.tenant_id AND q.campagne_id = g.campagne_id AND q.place = u.place - 1
    ) f
    GROUP BY 1, 2;
  END IF;
END
$$;
