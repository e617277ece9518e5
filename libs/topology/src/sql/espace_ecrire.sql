-- Two statements in a volatile function, because the second must see what was committed before the lock was granted.
CREATE OR REPLACE FUNCTION espace_ecrire(espace uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared(hashtextextended(espace::text, 5)) THEN
    RAISE EXCEPTION 'The data space is being moved.' USING ERRCODE = 'MV001';
  END IF;
  IF EXISTS (SELECT FROM espace_ferme WHERE tenant_id = espace AND jusqua > clock_timestamp()) THEN
    RAISE EXCEPTION 'The data space has moved.' USING ERRCODE = 'MV001';
  END IF;
  RETURN true;
END $$;
COMMENT ON FUNCTION espace_ecrire(uuid) IS 'Enters a transaction that writes into a data space; refuses while the space is being moved';
