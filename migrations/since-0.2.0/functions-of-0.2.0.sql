-- Functions of release 0.2.0 that later migrations changed. The processes of that release need these after a step down.
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
    ) THEN 'reponses' END
  ]::text[], NULL);
END
$$;
-- Counts a closed box by union and employer, and rewrites roll, ballots and receipts in random order. It does not use
-- random(), because any session may set its seed. A box with anomalies is not changed, and its anomalies are returned.
--
-- The ballots are divided into classes of one weight each. In a class of several weights, the weight of an option less
-- its votes would reveal some of them. A cell is all ballots of one union, employer and weight. With a threshold of k:
--   a cell of at least k ballots is a class;
--   smaller cells of one union with at least k ballots together are a class;
--   all other cells of a weight are its rest, which joins the smallest class of the weight if it is below k;
--   a weight with fewer than k ballots joins the smallest other class, because the total already shows its ballots.
-- With a threshold of 1 each union and employer is a class.
CREATE OR REPLACE FUNCTION urne_sceller(campagne uuid)
  RETURNS text[]
  LANGUAGE plpgsql SECURITY DEFINER
  -- For a box without statistics PostgreSQL expects one row: it would compare each class with each answer.
  SET enable_nestloop = off
  SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  found text[];
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()
  ) OR (
    SELECT c.urne_scellee FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
  ) THEN RAISE EXCEPTION 'The box is not closed, or sealed already.'; END IF;
  found := urne_controler($1);
  IF found <> '{}' THEN
    UPDATE campagne c SET urne_anomalies = found
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1;
    RETURN found;
  END IF;
  WITH cell AS (
    SELECT b.tenant_id, b.campagne_id, b.syndicat_id_externe AS syndicat, b.employeur_identifiant_externe AS employeur,
      b.poids, CASE WHEN c.seuil_anonymat > 1 THEN b.poids END AS weight, c.seuil_anonymat AS k, count(*) AS n
    FROM bulletin b JOIN campagne c ON c.tenant_id = b.tenant_id AND c.id_unique = b.campagne_id
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
    GROUP BY 1, 2, 3, 4, 5, 6, 7
  ), kind AS (
    SELECT cell.*, CASE WHEN n >= k THEN 0
      WHEN sum(n) FILTER (WHERE n < k) OVER (PARTITION BY tenant_id, campagne_id, weight, syndicat) >= k THEN 1
      ELSE 2 END AS kind
    FROM cell
  ), numbered AS (
    SELECT kind.*, dense_rank() OVER (PARTITION BY tenant_id, campagne_id ORDER BY kind, weight,
      CASE WHEN kind < 2 THEN syndicat END, CASE WHEN kind = 0 THEN employeur END) AS number
    FROM kind
  ), sized AS (
    SELECT numbered.*, sum(n) OVER (PARTITION BY tenant_id, campagne_id, number) AS size FROM numbered
  ), of_weight AS (
    SELECT sized.*, CASE WHEN size < k
      THEN first_value(number) OVER (PARTITION BY tenant_id, campagne_id, weight ORDER BY size < k, size, number)
      ELSE number END AS joined
    FROM sized
  ), weighed AS (
    SELECT of_weight.*, sum(n) OVER (PARTITION BY tenant_id, campagne_id, joined) AS total FROM of_weight
  ), classed AS (
    SELECT tenant_id, campagne_id, syndicat, employeur, poids, CASE WHEN total < k
      THEN first_value(joined) OVER (PARTITION BY tenant_id, campagne_id ORDER BY total < k, total, joined)
      ELSE joined END AS classe
    FROM weighed
  )
  INSERT INTO depouillement (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, classe,
    question, reponse, bulletins, poids)
  SELECT f.tenant_id, f.campagne_id, f.syndicat, f.employeur, c.classe, f.question, f.reponse, sum(f.ballots),
    sum(f.ballots * f.poids)
  FROM (
    -- Of rankings, the first choice.
    SELECT g.tenant_id, g.campagne_id, g.syndicat, g.employeur, g.poids, q.place AS question,
      CASE WHEN q.est_preferentiel THEN split_part(u.answer, ',', 1) ELSE u.answer END AS reponse, g.ballots
    FROM (
      SELECT b.tenant_id, b.campagne_id, b.syndicat_id_externe AS syndicat,
        b.employeur_identifiant_externe AS employeur, b.poids, b.reponses, count(*) AS ballots
      FROM bulletin b
      WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
      GROUP BY 1, 2, 3, 4, 5, 6
    ) g
      CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
      JOIN urne_question q
        ON q.tenant_id = g.tenant_id AND q.campagne_id = g.campagne_id AND q.place = u.place - 1
  ) f
    -- The key of a cell, including nulls, as one value. With separate conditions PostgreSQL joins on tenant and
    -- campaign and compares each class with each answer.
    JOIN classed c ON jsonb_build_array(c.tenant_id, c.campagne_id, c.syndicat, c.employeur, c.poids)
      = jsonb_build_array(f.tenant_id, f.campagne_id, f.syndicat, f.employeur, f.poids)
  GROUP BY 1, 2, 3, 4, 5, 6, 7;
  WITH taken AS (
    DELETE FROM bulletin b
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
    RETURNING b.*
  )
  INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
  SELECT t.tenant_id, t.campagne_id, t.syndicat_id_externe, t.employeur_identifiant_externe, t.poids, t.reponses
  FROM taken t ORDER BY gen_random_uuid();
  WITH taken AS (
    DELETE FROM recu r
    WHERE r.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND r.campagne_id = $1
    RETURNING r.*
  )
  INSERT INTO recu SELECT t.* FROM taken t ORDER BY gen_random_uuid();
  WITH taken AS (
    DELETE FROM votant v
    WHERE v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
    RETURNING v.*
  )
  INSERT INTO votant SELECT t.* FROM taken t ORDER BY gen_random_uuid();
  INSERT INTO participation (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe,
    inscrits, avec_droit, ayant_vote)
  SELECT v.tenant_id, v.campagne_id, v.syndicat_id_externe, v.employeur_identifiant_externe,
    count(*), count(*) FILTER (WHERE v.a_droit_de_vote), count(*) FILTER (WHERE v.a_vote)
  FROM votant v
  WHERE v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
  GROUP BY 1, 2, 3, 4;
  UPDATE campagne c SET urne_anomalies = NULL, urne_scellee = true
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1;
  RETURN found;
END
$$;
-- Stores the partner's seed of a published campaign before its opening. Returns whether it did.
CREATE OR REPLACE FUNCTION urne_deposer_graine(campagne uuid, graine bytea)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  UPDATE urne u SET graine_partenaire = $2 FROM campagne c
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1
    AND c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND c.publiee AND NOT c.archivee AND clock_timestamp() < c.ouverture_du_vote_utc;
  RETURN FOUND;
END
$$;
-- Closes the box of an ended vote. The caller holds the exclusive lock of the campaign, so no vote is running.
CREATE OR REPLACE FUNCTION urne_fermer(campagne uuid)
  RETURNS void
  LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
  UPDATE campagne c SET urne_fermee_par = pg_current_xact_id()
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = urne_fermer.campagne
    AND c.urne_fermee_par IS NULL AND c.publiee AND clock_timestamp() >= c.fermeture_du_vote_utc
$$;
-- Returns whether the result of a union and employer is published: for a sealed box if it consists of whole classes
-- (urne_sceller); before the sealing only if the campaign has no threshold.
CREATE OR REPLACE FUNCTION urne_divulgue(campagne uuid, syndicat text, employeur text)
  RETURNS boolean
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  -- Each statement is planned for its values, because filters may be absent.
  SET plan_cache_mode = force_custom_plan
  SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  k integer; sealed boolean;
BEGIN
  SELECT c.seuil_anonymat, c.urne_scellee INTO k, sealed FROM campagne c
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned();
  IF k = 1 OR NOT coalesce(sealed, false) THEN RETURN k = 1; END IF;
  RETURN NOT EXISTS (
    SELECT FROM depouillement d
    WHERE d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND d.campagne_id = $1
      AND d.question = 0
    GROUP BY d.classe
    HAVING bool_or(
      (($2 IS NULL OR d.syndicat_id_externe = $2) AND ($3 IS NULL OR d.employeur_identifiant_externe = $3)) IS TRUE
    ) AND NOT bool_and(
      (($2 IS NULL OR d.syndicat_id_externe = $2) AND ($3 IS NULL OR d.employeur_identifiant_externe = $3)) IS TRUE
    ));
END
$$;
CREATE OR REPLACE FUNCTION changement_lot_courant(tenant uuid) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  lot uuid := nullif(current_setting('app.changement_lot', true), '')::uuid;
BEGIN
  IF lot IS NULL THEN
    INSERT INTO changement_lot (tenant_id, origine, sync_id) VALUES (
      tenant,
      coalesce(nullif(current_setting('app.origine', true), ''), 'api'),
      nullif(current_setting('app.sync_id', true), '')::uuid
    ) RETURNING id_unique INTO lot;
    PERFORM set_config('app.changement_lot', lot::text, true);
  END IF;
  RETURN lot;
END $$;
CREATE OR REPLACE FUNCTION changement_noter() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  tenant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  nature text := '''' || CASE TG_OP WHEN 'INSERT' THEN 'Cree' WHEN 'DELETE' THEN 'Supprime' ELSE 'Modifie' END || '''';
  source text := 'lignes l';
  jour timestamptz;
  minuit timestamptz;
BEGIN
  -- A migration changes rows of no tenant, and changes nothing that a partner wrote.
  IF tenant IS NULL OR NOT EXISTS (SELECT FROM lignes) THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND TG_NARGS = 3 THEN
    jour := tenant_today();
    minuit := (jour AT TIME ZONE 'UTC') AT TIME ZONE tenant_time_zone();
    nature := $sql$CASE WHEN l.date_fin <= borne_du_jour(l.date_fin, $2, $3)
      AND (a.date_fin IS NULL OR a.date_fin > borne_du_jour(a.date_fin, $2, $3)) THEN 'Termine' ELSE 'Modifie' END$sql$;
    source := format('lignes l JOIN avant a ON a.tenant_id = l.tenant_id AND a.%1$I = l.%1$I AND a.%2$I = l.%2$I',
      TG_ARGV[1], TG_ARGV[2]);
  END IF;
  EXECUTE format(
    'INSERT INTO changement (tenant_id, lot, id_unique, entite, id_externe, id_externe_employe, nature)
     SELECT l.tenant_id, $1, ($4 || (100000000 + row_number() OVER ()))::uuid, %L, l.%I, %s, %s FROM %s',
    TG_ARGV[0], TG_ARGV[1], CASE WHEN TG_NARGS = 3 THEN format('l.%I', TG_ARGV[2]) ELSE 'NULL' END, nature, source
  ) USING changement_lot_courant(tenant), jour, minuit, left(uuidv7()::text, 27);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION urne_constater(campagne uuid, raison text)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  found text[];
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()
  ) OR (
    SELECT c.urne_scellee FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
  ) THEN RAISE EXCEPTION 'The box is not closed, or sealed already.'; END IF;
  found := urne_controler($1);
  IF found = '{}' THEN RETURN false; END IF;
  WITH taken AS (
    DELETE FROM bulletin b
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
    RETURNING b.*
  )
  INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
  SELECT t.tenant_id, t.campagne_id, t.syndicat_id_externe, t.employeur_identifiant_externe, t.poids, t.reponses
  FROM taken t ORDER BY gen_random_uuid();
  WITH taken AS (
    DELETE FROM recu r
    WHERE r.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND r.campagne_id = $1
    RETURNING r.*
  )
  INSERT INTO recu SELECT t.* FROM taken t ORDER BY gen_random_uuid();
  WITH taken AS (
    DELETE FROM votant v
    WHERE v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
    RETURNING v.*
  )
  INSERT INTO votant SELECT t.* FROM taken t ORDER BY gen_random_uuid();
  INSERT INTO participation (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe,
    inscrits, avec_droit, ayant_vote)
  SELECT v.tenant_id, v.campagne_id, v.syndicat_id_externe, v.employeur_identifiant_externe,
    count(*), count(*) FILTER (WHERE v.a_droit_de_vote), count(*) FILTER (WHERE v.a_vote)
  FROM votant v
  WHERE v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
  GROUP BY 1, 2, 3, 4;
  UPDATE campagne c
  SET urne_anomalies = found, urne_scellee = true, urne_constat = $2, urne_constat_date = clock_timestamp()
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1;
  RETURN true;
END
$$;
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
  IF $2 IS NULL AND $3 IS NULL THEN
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
-- Copies the questions of a campaign into the box at its publication, with a new seed; the threshold only at the first
-- publication. Rejected if there are votes. The caller holds the exclusive lock of the campaign. First the function
-- waits for running transactions that have written the questions or options, or cast a ballot. A new ballot or question
-- locks the campaign's row, a new option that of its question. Later statements see their writes.
CREATE OR REPLACE FUNCTION urne_preparer(campagne uuid)
  RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  PERFORM FROM campagne c
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
  FOR UPDATE;
  PERFORM FROM question q
  WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
  FOR UPDATE;
  PERFORM FROM option o
  WHERE o.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND o.question_id IN (
    SELECT q.id_unique FROM question q
    WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
  )
  FOR UPDATE;
  IF EXISTS (
    SELECT FROM bulletin b
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
  ) OR NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.publiee AND NOT c.urne_close
  ) THEN RAISE EXCEPTION 'The campaign is not published, or has ballots.'; END IF;
  DELETE FROM urne u
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1;
  INSERT INTO urne (tenant_id, campagne_id, graine)
  SELECT nullif(current_setting('app.tenant_id', true), '')::uuid, $1,
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  INSERT INTO urne_question (tenant_id, campagne_id, place, question_id, titre, type, est_preferentiel, min_reponses,
    max_reponses, nombre_elus, nombre_options)
  SELECT q.tenant_id, q.campagne_id,
    row_number() OVER (PARTITION BY q.tenant_id, q.campagne_id ORDER BY q.ordre) - 1,
    q.id_unique, q.titre, q.type, q.est_preferentiel, q.min_reponses, least(q.max_reponses, o.options), q.nombre_elus,
    o.options
  FROM question q CROSS JOIN LATERAL (
    SELECT count(*)::integer AS options FROM option o
    WHERE o.tenant_id = q.tenant_id AND o.question_id = q.id_unique
  ) o
  WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1;
  INSERT INTO urne_option (tenant_id, campagne_id, question, place, option_id, libelle)
  SELECT u.tenant_id, u.campagne_id, u.place,
    row_number() OVER (PARTITION BY o.tenant_id, o.question_id ORDER BY o.ordre) - 1, o.id_unique, o.libelle
  FROM urne_question u JOIN option o ON o.tenant_id = u.tenant_id AND o.question_id = u.question_id
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1;
  UPDATE campagne c SET seuil_anonymat = coalesce((
    SELECT s.seuil_anonymat FROM reglage s
    WHERE s.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
  ), 1)
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND c.seuil_anonymat IS NULL;
END
$$;
-- Marks the voter and inserts the ballot and the digest of its receipt, with the voter's current weight, union and
-- employer. Returns false if the vote is not open, if the voter may not vote, or if the ballot does not answer each
-- question of the box (in the domain: answersOf). The caller holds the shared lock of the campaign.
CREATE OR REPLACE FUNCTION urne_voter(
  campagne uuid, votant uuid, publications integer, reponses text[], empreinte bytea
)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  WITH voter AS (
    UPDATE votant v SET a_vote = true FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.publications = $3
      AND campagne_etat(c.publiee, c.archivee, c.urne_close, c.ouverture_du_vote_utc, c.fermeture_du_vote_utc,
        clock_timestamp()) = 'VoteOuvert'
      AND (
        SELECT count(*) = cardinality($4) AND bool_and(
          CASE WHEN $4[q.place + 1] = '' THEN true
            WHEN $4[q.place + 1] ~ '^(0|[1-9][0-9]{0,5})$'
            THEN q.min_reponses <= 1 AND q.max_reponses >= 1 AND $4[q.place + 1]::integer < q.nombre_options
            ELSE urne_choisir($4[q.place + 1], q.min_reponses, q.max_reponses, q.nombre_options, q.est_preferentiel)
          END IS TRUE)
        FROM urne_question q
        WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
      )
      AND v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
      AND v.id_unique = $2 AND v.a_droit_de_vote AND NOT v.a_vote
    RETURNING v.syndicat_id_externe, v.employeur_identifiant_externe, v.poids
  ), ballot AS (
    INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
    SELECT nullif(current_setting('app.tenant_id', true), '')::uuid, $1,
      syndicat_id_externe, employeur_identifiant_externe, poids, $4
    FROM voter
  )
  INSERT INTO recu (tenant_id, campagne_id, empreinte)
  SELECT nullif(current_setting('app.tenant_id', true), '')::uuid, $1, $5 FROM voter;
  RETURN FOUND;
END
$$;
