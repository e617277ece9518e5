-- ISO 8601 with milliseconds, in quotes. The microsecond makes PostgreSQL write all digits, of which the first 24 characters remain.
-- The formatting of a time is not immutable by declaration, because some formats depend on settings. This one does not.
CREATE OR REPLACE FUNCTION json_lecture(id_unique uuid, derniere_maj timestamptz, date_creation timestamptz)
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN '"idUnique":"' || id_unique || '","derniereMAJ":' || left(JSON_SCALAR((derniere_maj AT TIME ZONE INTERVAL '0') + INTERVAL '1 microsecond')::text, 24) || 'Z"'
    || ',"dateCreation":' || left(JSON_SCALAR((date_creation AT TIME ZONE INTERVAL '0') + INTERVAL '1 microsecond')::text, 24) || 'Z"';
END $$;
