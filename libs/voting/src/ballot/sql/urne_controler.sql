-- Returns the anomalies of a closed box by their published names, and null for an open box. An anomaly prevents the
-- sealing (docs/adr/0026).
CREATE OR REPLACE FUNCTION urne_controler(campagne uuid)
  RETURNS text[]
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  est_chiffree boolean;
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()
  ) THEN RETURN NULL; END IF;
  SELECT c.chiffree INTO est_chiffree FROM campagne c
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1;
  RETURN array_remove(ARRAY[
    -- There are not as many ballots as voters who have voted, or the voter of an encrypted one has not voted.
    CASE WHEN (
      SELECT count(*) FROM bulletin t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
    ) <> (
      SELECT count(*) FROM votant t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1 AND t.a_vote
    ) OR est_chiffree AND EXISTS (
      SELECT b.votant FROM bulletin b
      WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
      EXCEPT
      SELECT sha256(convert_to('mandat/chiffre/1/votant', 'UTF8') || uuid_send($1) || uuid_send(v.id_unique)) FROM votant v
      WHERE v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1 AND v.a_vote
    ) THEN 'bulletins' END,
    -- There are not as many ballots as receipts, or the receipt of an encrypted one is missing.
    CASE WHEN (
      SELECT count(*) FROM bulletin t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
    ) <> (
      SELECT count(*) FROM recu t
      WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
    ) OR est_chiffree AND EXISTS (
      SELECT sha256(b.chiffre) FROM bulletin b
      WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
      EXCEPT
      SELECT r.empreinte FROM recu r
      WHERE r.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND r.campagne_id = $1
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
    -- A ballot does not answer each question, or an answer is not valid (the rule of urne_voter); an encrypted one has another
    -- length, or one is not what the vote is.
    CASE WHEN EXISTS (
      SELECT FROM bulletin b
      WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
        AND CASE WHEN est_chiffree THEN octet_length(b.chiffre) IS DISTINCT FROM urne_taille_chiffre($1)
          ELSE b.chiffre IS NOT NULL OR cardinality(b.reponses) <> (
            SELECT count(*) FROM urne_question t
            WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
          ) END
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
