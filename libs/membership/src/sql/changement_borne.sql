-- Identifiers of version 7 begin with their time, so a month is a range of them.
CREATE OR REPLACE FUNCTION changement_borne(day date) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM day::timestamp AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
