CREATE OR REPLACE FUNCTION changement_mois_passes() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  part text;
  dropped integer := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('changement_mois', 0)) THEN RETURN 0; END IF;
  -- The name is read in the loop. In the query, PostgreSQL could read those of other tables, which end in no month.
  FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent IN ('changement_lot'::regclass, 'changement'::regclass) ORDER BY 1 LOOP
    CONTINUE WHEN to_date(right(part, 7), 'YYYY_MM') + interval '1 month' >= now() - interval '400 days';
    EXECUTE format('DROP TABLE %I', part);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;
REVOKE ALL ON FUNCTION changement_mois_passes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION changement_mois_passes() TO mandat_access;
COMMENT ON FUNCTION changement_mois_passes() IS 'Drops the tables of changes that are all over 400 days old; returns their number';
