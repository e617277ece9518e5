-- Seals a box with anomalies permanently, without a result. Returns whether it did. It rewrites roll, ballots and
-- receipts like urne_sceller, all receipts in one order.
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
  INSERT INTO bulletin (tenant_id, campagne_id, id_unique, syndicat_id_externe, employeur_identifiant_externe, poids, reponses,
    chiffre, votant)
  SELECT n.tenant_id, n.campagne_id, n.nouveau, n.syndicat_id_externe, n.employeur_identifiant_externe, n.poids, n.reponses,
    n.chiffre, n.votant
  FROM (SELECT t.*, gen_random_uuid() AS nouveau FROM taken t) n ORDER BY n.nouveau;
  WITH taken AS (
    DELETE FROM recu r
    WHERE r.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND r.campagne_id = $1
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
  UPDATE campagne c
  SET urne_anomalies = found, urne_scellee = true, urne_constat = $2, urne_constat_date = clock_timestamp()
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1;
  RETURN true;
END
$$;
