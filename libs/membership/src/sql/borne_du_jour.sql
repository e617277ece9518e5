CREATE OR REPLACE FUNCTION borne_du_jour(moment timestamptz, jour timestamptz, minuit timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN (moment AT TIME ZONE 'UTC')::time = '00:00' THEN jour ELSE minuit END
$$;
COMMENT ON FUNCTION borne_du_jour(timestamptz, timestamptz, timestamptz) IS 'The beginning of a day that a moment compares with: a moment at 00:00 UTC is a date without time and compares with the day as the wire has it; any other compares with midnight in the tenant''s time zone';
