-- Notes that the bundle of a sealed box is built. Nobody adds to it afterwards.
CREATE OR REPLACE FUNCTION urne_livrer(campagne uuid)
  RETURNS void
  LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
  UPDATE campagne c SET dossier_du = false
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
$$;
