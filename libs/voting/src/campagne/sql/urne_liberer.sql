-- Empties the box when the publication is withdrawn. Rejected if there are votes. First it waits for running
-- transactions, as urne_preparer does.
CREATE OR REPLACE FUNCTION urne_liberer(campagne uuid)
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
      AND NOT c.publiee AND NOT c.urne_close
  ) THEN RAISE EXCEPTION 'The campaign is published, or has ballots.'; END IF;
  DELETE FROM urne u
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1;
END
$$;
