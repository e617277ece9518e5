-- Returns the seeds of a box that a committed transaction has closed. A transaction that closes the box itself sees it
-- open. It could otherwise close, count and roll back before each vote, without a trace.
CREATE OR REPLACE FUNCTION urne_graines(campagne uuid)
  RETURNS TABLE (graine bytea, graine_partenaire bytea)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT u.graine, u.graine_partenaire FROM urne u
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1 AND EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()
  );
END
$$;
