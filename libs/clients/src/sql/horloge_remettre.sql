-- Puts the clock of a rehearsal back to the real time, when its data is removed. Production has none.
CREATE OR REPLACE FUNCTION horloge_remettre() RETURNS void
  LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
  DELETE FROM horloge_essai h WHERE h.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
$$;
REVOKE ALL ON FUNCTION horloge_remettre() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION horloge_remettre() TO mandat_app;
COMMENT ON FUNCTION horloge_remettre() IS 'Puts the clock of a rehearsal back to the real time';
