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
    AND campagne_etat(c.publiee, c.archivee, c.urne_close, c.ouverture_du_vote_utc, c.fermeture_du_vote_utc,
      tenant_clock(clock_timestamp())) = 'Planifie';
  RETURN FOUND;
END
$$;
