-- Moves the clock of a staging data space forward. Returns false if it shows a later time already. Nothing else writes the clock, and the
-- processes have no right to: production cannot be moved (docs/adr/0058).
CREATE OR REPLACE FUNCTION horloge_avancer(maintenant timestamptz) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  espace uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  reel timestamptz := clock_timestamp();
BEGIN
  IF (SELECT r.environnement FROM reglage r WHERE r.tenant_id = espace) IS DISTINCT FROM 'staging' THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'Only the clock of a staging data space can be moved.';
  END IF;
  IF maintenant > reel + interval '2 years' THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = 'The clock may be at most two years ahead.';
  END IF;
  -- Hours, not days: a day may have 23 hours in the time zone of a session.
  INSERT INTO horloge_essai AS h (tenant_id, environnement, decalage)
  SELECT espace, 'staging', make_interval(secs => extract(epoch FROM maintenant - reel))
  WHERE maintenant > reel
  ON CONFLICT (tenant_id) DO UPDATE SET decalage = excluded.decalage WHERE excluded.decalage > h.decalage;
  RETURN FOUND;
END
$$;
REVOKE ALL ON FUNCTION horloge_avancer(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION horloge_avancer(timestamptz) TO mandat_app;
COMMENT ON FUNCTION horloge_avancer(timestamptz) IS 'Moves the clock of a staging data space forward';
