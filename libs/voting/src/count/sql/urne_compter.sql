-- Returns all ballots of a closed box with the same answer to a question. Only processes of an earlier release call it;
-- urne_depouiller replaces it.
CREATE OR REPLACE FUNCTION urne_compter(campagne uuid)
  RETURNS TABLE (question integer, reponse text, bulletins bigint, poids numeric, decimales integer)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()
  ) THEN RETURN; END IF;
  RETURN QUERY
  SELECT u.place::integer - 1, u.answer, sum(g.ballots)::bigint, sum(g.ballots * g.poids),
    max(scale(trim_scale(g.poids)))
  FROM (
    SELECT b.reponses, b.poids, count(*) AS ballots FROM bulletin b
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
    GROUP BY 1, 2
  ) g CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
  GROUP BY 1, 2;
END
$$;
