-- Returns the answers of a closed box to the questions from one place to another: all of them, or those of a union and
-- employer, with the first choices of rankings, if these are published. For several parts only one question is
-- requested. The result is lines of text, a thousand in each row: ballots, their weight, the decimals of the finest
-- weight, and the answer (docs/adr/0027). Equal ballots are counted before they are split into answers.
CREATE OR REPLACE FUNCTION urne_depouiller(
  campagne uuid, syndicat text, employeur text, premiere integer, derniere integer, part integer, parts integer
)
  RETURNS TABLE (question integer, lignes text)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  -- Each statement is planned for its values, because filters may be absent.
  SET plan_cache_mode = force_custom_plan
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()
  ) THEN RETURN; END IF;
  IF $2 IS NULL AND $3 IS NULL AND NOT (
    -- The decrypted sums are kept by class (urne_dechiffrer).
    SELECT c.chiffree FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
  ) THEN
    RETURN QUERY
    SELECT l.question, string_agg(concat_ws(' ', l.ballots, l.weight, l.decimals, l.answer), E'\n')
    FROM (
      SELECT a.question, a.answer, sum(a.ballots) AS ballots, sum(a.weight) AS weight, max(a.decimals) AS decimals,
        (row_number() OVER (PARTITION BY a.question) - 1) / 1000 AS row
      FROM (
        SELECT u.place::integer - 1 + $4 AS question, u.answer, g.ballots, g.ballots * g.poids AS weight,
          scale(trim_scale(g.poids)) AS decimals
        FROM (
          SELECT b.reponses[$4 + 1 : $5 + 1] AS reponses, b.poids, count(*) AS ballots
          FROM bulletin b
          WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
            AND ($7 = 1 OR mod(hashtextextended(b.reponses[$4 + 1], 0) & 9223372036854775807, $7::bigint) = $6)
          GROUP BY 1, 2
        ) g CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
      ) a
      GROUP BY a.question, a.answer
    ) l
    GROUP BY l.question, l.row;
  ELSIF urne_divulgue($1, $2, $3) IS NOT TRUE THEN
    RETURN;
  ELSIF (
    SELECT c.urne_scellee FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
  ) THEN
    RETURN QUERY
    SELECT l.question, string_agg(concat_ws(' ', l.ballots, l.weight, l.decimals, l.answer), E'\n')
    FROM (
      SELECT a.question, a.answer, sum(a.ballots) AS ballots, sum(a.weight) AS weight, max(a.decimals) AS decimals,
        (row_number() OVER (PARTITION BY a.question) - 1) / 1000 AS row
      FROM (
        SELECT d.question, d.reponse AS answer, d.bulletins AS ballots, d.poids AS weight, 0 AS decimals
        FROM depouillement d
        WHERE d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND d.campagne_id = $1
          AND (($2 IS NULL OR d.syndicat_id_externe = $2) AND ($3 IS NULL OR d.employeur_identifiant_externe = $3))
          AND d.question BETWEEN $4 AND $5
          AND ($7 = 1 OR mod(hashtextextended(d.reponse, 0) & 9223372036854775807, $7::bigint) = $6)
      ) a
      GROUP BY a.question, a.answer
    ) l
    GROUP BY l.question, l.row;
  ELSE
    RETURN QUERY
    SELECT l.question, string_agg(concat_ws(' ', l.ballots, l.weight, l.decimals, l.answer), E'\n')
    FROM (
      SELECT a.question, a.answer, sum(a.ballots) AS ballots, sum(a.weight) AS weight, max(a.decimals) AS decimals,
        (row_number() OVER (PARTITION BY a.question) - 1) / 1000 AS row
      FROM (
        SELECT a.question, CASE WHEN q.est_preferentiel THEN split_part(a.answer, ',', 1) ELSE a.answer END AS answer,
          a.ballots, a.weight, a.decimals
        FROM (
          SELECT u.place::integer - 1 + $4 AS question, u.answer, g.ballots, g.ballots * g.poids AS weight,
            scale(trim_scale(g.poids)) AS decimals
          FROM (
            SELECT b.reponses[$4 + 1 : $5 + 1] AS reponses, b.poids, count(*) AS ballots
            FROM bulletin b
            WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
              AND (($2 IS NULL OR b.syndicat_id_externe = $2) AND ($3 IS NULL OR b.employeur_identifiant_externe = $3))
              AND ($7 = 1 OR mod(hashtextextended(b.reponses[$4 + 1], 0) & 9223372036854775807, $7::bigint) = $6)
            GROUP BY 1, 2
          ) g CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
        ) a JOIN urne_question q
          ON q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
          AND q.place = a.question
      ) a
      GROUP BY a.question, a.answer
    ) l
    GROUP BY l.question, l.row;
  END IF;
END
$$;
