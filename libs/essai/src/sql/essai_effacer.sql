-- Removes all rows of a staging data space. Tables that have rows of data spaces are those with forced row-level security. Settings,
-- the audit trail, and endpoints with their certifications stay, because certifications are counted by day. Referencing tables come
-- first, so no cascade removes more; changes of the feed come last, because removing records adds some. Production is refused.
CREATE OR REPLACE FUNCTION essai_effacer() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  espace uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  cible regclass;
BEGIN
  IF (SELECT r.environnement FROM reglage r WHERE r.tenant_id = espace) IS DISTINCT FROM 'staging' THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'Only the rows of a staging data space can be removed.';
  END IF;
  FOR cible IN
    WITH RECURSIVE cibles AS (
      SELECT c.oid, c.relname FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relforcerowsecurity
        AND c.relname NOT IN ('espace_ferme', 'reglage', 'webhook', 'certification', 'journal', 'journal_tete')
    ), rangs AS (
      SELECT oid, 0 AS rang FROM cibles
      UNION
      SELECT f.confrelid, r.rang + 1 FROM rangs r JOIN pg_constraint f ON f.conrelid = r.oid
      WHERE f.contype = 'f' AND f.confrelid <> f.conrelid AND r.rang < 20
    )
    SELECT c.oid::regclass FROM cibles c JOIN rangs USING (oid)
    GROUP BY c.oid, c.relname ORDER BY c.relname ~ '^(changement|etat_listes)', max(rang), c.relname
  LOOP
    EXECUTE format('DELETE FROM %s WHERE tenant_id = $1', cible) USING espace;
  END LOOP;
END
$$;
REVOKE ALL ON FUNCTION essai_effacer() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION essai_effacer() TO mandat_app;
COMMENT ON FUNCTION essai_effacer() IS 'Removes all rows of a staging data space';
