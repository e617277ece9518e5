-- The rules of votes, consents and memberships read the time from here: in a rehearsal it is ahead. The caller chooses the moment:
-- clock_timestamp() after a lock, statement_timestamp() in reads, now() for the day. PostgreSQL inlines the function, which needs the moment
-- to occur once in it. A query with several rows calls it as (SELECT tenant_clock(…)), which runs once.
CREATE OR REPLACE FUNCTION tenant_clock(moment timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT moment + coalesce(horloge_decalage(), interval '0')
$$;
COMMENT ON FUNCTION tenant_clock(timestamptz) IS 'A moment by the clock of the tenant';
