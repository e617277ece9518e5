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
  taille integer;
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
  -- A worker of an earlier release places no receipts. It may seal a box whose log has not begun.
  SELECT max(e.taille) INTO taille FROM engagement e
  WHERE e.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND e.campagne_id = $1;
  IF (
    SELECT count(*) <> taille OR count(r.place) <> taille FROM recu r
    WHERE r.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND r.campagne_id = $1
  ) THEN RAISE EXCEPTION 'The last checkpoint does not cover all receipts.'; END IF;
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
