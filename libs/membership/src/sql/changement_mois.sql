-- A month of changes is one table, which is dropped as a whole when it is over 400 days old.
CREATE OR REPLACE FUNCTION changement_mois() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  parent text;
  month date;
  part text;
  written integer := 0;
BEGIN
  -- Another worker makes them.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('changement_mois', 0)) THEN RETURN 0; END IF;
  FOREACH parent IN ARRAY ARRAY['changement_lot', 'changement'] LOOP
    FOR month IN SELECT generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
        date_trunc('month', now() AT TIME ZONE 'UTC') + interval '12 months', interval '1 month')::date LOOP
      part := format('%s_%s', parent, to_char(month, 'YYYY_MM'));
      CONTINUE WHEN to_regclass(part) IS NOT NULL;
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
      EXECUTE format('ALTER TABLE %I ALTER COLUMN tenant_id SET (n_distinct = 1)', part);
      EXECUTE format($policy$CREATE POLICY %I ON %I
        USING (tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid))
        WITH CHECK (tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid))$policy$, part || '_tenant', part);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part,
        changement_borne(month), changement_borne((month + interval '1 month')::date));
      written := written + 1;
    END LOOP;
  END LOOP;
  RETURN written;
END $$;
REVOKE ALL ON FUNCTION changement_mois() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION changement_mois() TO mandat_access;
COMMENT ON FUNCTION changement_mois() IS 'Makes the tables of changes of this month and the next twelve; returns their number';
