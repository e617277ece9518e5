-- Returns the anomalies of a closed box by their published names, and null for an open box. An anomaly prevents the
-- sealing (docs/adr/0026).
CREATE OR REPLACE FUNCTION urne_controler(campagne uuid)
  RETURNS text[]
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()
  ) THEN RETURN NULL; END IF;
  RETURN array_remove(ARRAY[
    -- There are not as many ballots as voters who have voted.
    CASE WHEN (
      SELECT count(*) FROM bulletin t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
    ) <> (
      SELECT count(*) FROM votant t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1 AND t.a_vote
    ) THEN 'bulletins' END,
    -- There are not as many ballots as receipts.
    CASE WHEN (
      SELECT count(*) FROM bulletin t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
    ) <> (
      SELECT count(*) FROM recu t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
    ) THEN 'recus' END,
    -- The weights of the ballots are not those of the voters who have voted.
    CASE WHEN EXISTS (
      SELECT t.poids, count(*) FROM bulletin t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
      GROUP BY 1
      EXCEPT
      SELECT t.poids, count(*) FROM votant t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1 AND t.a_vote
      GROUP BY 1
    ) THEN 'poids' END,
    -- A voter without the right to vote has voted.
    CASE WHEN EXISTS (
      SELECT FROM votant t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
        AND t.a_vote AND NOT t.a_droit_de_vote
    ) THEN 'droits' END,
    -- A ballot does not answer each question, or an answer is not valid (the rule of urne_voter).
    CASE WHEN EXISTS (
      SELECT FROM bulletin b
      WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
        AND cardinality(b.reponses) <> (
          SELECT count(*) FROM urne_question t
          WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
        )
    ) OR EXISTS (
      SELECT FROM (
        SELECT DISTINCT u.place - 1 AS question, u.answer
        FROM bulletin b CROSS JOIN LATERAL unnest(b.reponses) WITH ORDINALITY u (answer, place)
        WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
      ) a LEFT JOIN urne_question q
        ON q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
        AND q.place = a.question
      WHERE (
        CASE WHEN a.answer = '' THEN true
          WHEN a.answer ~ '^(0|[1-9][0-9]{0,5})$'
          THEN q.min_reponses <= 1 AND q.max_reponses >= 1 AND a.answer::integer < q.nombre_options
          ELSE urne_choisir(a.answer, q.min_reponses, q.max_reponses, q.nombre_options, q.est_preferentiel)
        END IS TRUE) IS NOT TRUE
    ) THEN 'reponses' END,
    -- The log of receipts differs from a signed checkpoint (urne_signaler).
    CASE WHEN EXISTS (
      SELECT FROM campagne c
      WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
        AND c.urne_anomalies @> '{engagements}'
    ) THEN 'engagements' END
  ]::text[], NULL);
END
$$;
