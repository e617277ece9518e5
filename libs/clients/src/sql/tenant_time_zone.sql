CREATE OR REPLACE FUNCTION tenant_time_zone() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT fuseau_horaire FROM reglage WHERE tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid),
    'America/Toronto'
  )
$$;
COMMENT ON FUNCTION tenant_time_zone() IS 'The time zone that says which day it is for the tenant';
