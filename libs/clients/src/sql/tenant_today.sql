-- A person who signs a card late in the evening is a member from that evening on. By days of UTC, the membership would begin on the
-- next day, and an electoral list made that evening would omit the new member.
CREATE OR REPLACE FUNCTION tenant_today() RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT (tenant_clock(now()) AT TIME ZONE tenant_time_zone())::date::timestamp AT TIME ZONE 'UTC'
$$;
COMMENT ON FUNCTION tenant_today() IS 'The current day of the tenant, as the wire has a date: at 00:00 UTC';
