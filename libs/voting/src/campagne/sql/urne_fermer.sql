-- Closes the box of an ended vote, archived or not. The caller holds the exclusive lock of the campaign, so no vote is running.
CREATE OR REPLACE FUNCTION urne_fermer(campagne uuid)
  RETURNS void
  LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
  UPDATE campagne c SET urne_fermee_par = pg_current_xact_id()
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = urne_fermer.campagne
    AND c.urne_fermee_par IS NULL AND campagne_etat(c.publiee, false, false, c.ouverture_du_vote_utc,
      c.fermeture_du_vote_utc, tenant_clock(clock_timestamp())) = 'Termine'
$$;
