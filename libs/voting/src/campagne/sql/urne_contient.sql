-- Returns whether the campaign has votes.
CREATE OR REPLACE FUNCTION urne_contient(campagne uuid)
  RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM bulletin b
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = campagne
  )
$$;
