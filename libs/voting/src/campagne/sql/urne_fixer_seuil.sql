-- Sets the threshold of anonymity of a draft. Returns whether it did. The caller holds the exclusive lock of the
-- campaign.
CREATE OR REPLACE FUNCTION urne_fixer_seuil(campagne uuid, seuil integer, raison text)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  UPDATE campagne c SET seuil_anonymat = $2, raison_seuil_anonymat = $3
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND NOT c.publiee AND NOT c.archivee AND NOT EXISTS (
      SELECT FROM urne u
      WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1
    );
  RETURN FOUND;
END
$$;
