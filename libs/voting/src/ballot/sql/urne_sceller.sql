-- Counts a closed box by union and employer, and rewrites roll, ballots and receipts in an order that depends on no vote: ballots by
-- their new random identifiers, receipts by digest after those of the last checkpoint (urne_engager), voters by their creation. Each is
-- the order of its largest indexes, which makes the rewriting three times as fast as a random order. A box with anomalies is not changed,
-- and its anomalies are returned.
CREATE OR REPLACE FUNCTION urne_sceller(campagne uuid)
  RETURNS text[]
  LANGUAGE plpgsql SECURITY DEFINER
  -- For a box without statistics PostgreSQL expects one row: it would compare each class with each answer.
  SET enable_nestloop = off
  -- A million ballots have 200,000 different ones with their unions and employers, which 4 MB cannot count without a sort.
  SET work_mem = '64MB'
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
  INSERT INTO depouillement (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, classe,
    question, reponse, bulletins, poids)
  SELECT q.tenant_id, q.campagne_id, f.syndicat, f.employeur, c.classe, q.place,
    -- Of rankings, the first choice.
    CASE WHEN q.est_preferentiel THEN split_part(f.answer, ',', 1) ELSE f.answer END, sum(f.ballots), sum(f.ballots * f.poids)
  FROM (
    SELECT g.syndicat, g.employeur, g.poids, u.place - 1 AS question, u.answer, sum(g.ballots) AS ballots
    FROM (
      SELECT b.syndicat_id_externe AS syndicat, b.employeur_identifiant_externe AS employeur, b.poids, b.reponses,
        count(*) AS ballots
      FROM bulletin b
      WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
      GROUP BY 1, 2, 3, 4
    ) g CROSS JOIN LATERAL unnest(g.reponses) WITH ORDINALITY u (answer, place)
    GROUP BY 1, 2, 3, 4, 5
  ) f
    JOIN urne_question q
      ON q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1 AND q.place = f.question
    -- The key of a cell, including nulls, as one value. With separate conditions PostgreSQL joins on tenant and
    -- campaign and compares each class with each answer.
    JOIN urne_classes($1) c ON jsonb_build_array(c.syndicat, c.employeur, c.poids)
      = jsonb_build_array(f.syndicat, f.employeur, f.poids)
  GROUP BY 1, 2, 3, 4, 5, 6, 7;
  -- Of an encrypted vote, the cells of each class: its sums follow when the guardians have decrypted them (urne_dechiffrer).
  INSERT INTO depouillement (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, classe,
    question, reponse, bulletins, poids)
  SELECT DISTINCT c.tenant_id, c.id_unique, k.syndicat, k.employeur, k.classe, 0, '=', 0, 0
  FROM campagne c CROSS JOIN urne_classes($1) k
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1 AND c.chiffree;
  WITH taken AS (
    DELETE FROM bulletin b
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
    RETURNING b.*
  )
  INSERT INTO bulletin (tenant_id, campagne_id, id_unique, syndicat_id_externe, employeur_identifiant_externe, poids, reponses,
    chiffre, votant)
  SELECT n.tenant_id, n.campagne_id, n.nouveau, n.syndicat_id_externe, n.employeur_identifiant_externe, n.poids, n.reponses,
    n.chiffre, n.votant
  -- Not random(), because any session may set its seed.
  FROM (SELECT t.*, gen_random_uuid() AS nouveau FROM taken t) n ORDER BY n.nouveau;
  -- urne_engager has written the others in this transaction.
  WITH taken AS (
    DELETE FROM recu r
    WHERE r.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND r.campagne_id = $1
      AND r.xmin IS DISTINCT FROM pg_current_xact_id()::xid
    RETURNING r.*
  )
  INSERT INTO recu SELECT t.* FROM taken t ORDER BY t.empreinte;
  WITH taken AS (
    DELETE FROM votant v
    WHERE v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
    RETURNING v.*
  )
  INSERT INTO votant SELECT t.* FROM taken t ORDER BY t.date_creation, t.id_unique;
  INSERT INTO participation (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe,
    inscrits, avec_droit, ayant_vote)
  SELECT v.tenant_id, v.campagne_id, v.syndicat_id_externe, v.employeur_identifiant_externe,
    count(*), count(*) FILTER (WHERE v.a_droit_de_vote), count(*) FILTER (WHERE v.a_vote)
  FROM votant v
  WHERE v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
  GROUP BY 1, 2, 3, 4;
  -- PostgreSQL knows nothing of the new rows, and would read all of them for each filter.
  ANALYZE depouillement, participation;
  UPDATE campagne c SET urne_anomalies = NULL, urne_scellee = true, chiffrement_du = chiffree,
    dossier_du = NOT chiffree AND (taille IS NOT NULL OR NOT EXISTS (
      SELECT FROM recu r
      WHERE r.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND r.campagne_id = $1
    ))
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1;
  RETURN found;
END
$$;
