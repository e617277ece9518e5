-- Every table of data spaces is under row-level security: forced, because it must hold for its owner too. The sub-select makes
-- PostgreSQL read the setting once a statement instead of once a row; the nullif turns the '' that a finished SET LOCAL leaves
-- behind into "no tenant". Plans expect a table to have one tenant only (docs/adr/0011).
DO $$
DECLARE
  un name;
  own text := $own$tenant_id = (SELECT nullif(current_setting('app.tenant_id', true), '')::uuid)$own$;
BEGIN
  FOR un IN SELECT relname FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attname = 'tenant_id'
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname NOT IN ('cle', 'deplacement') LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY,
      ALTER COLUMN tenant_id SET (n_distinct = 1)', un);
    EXECUTE format('CREATE POLICY %I ON %I USING (%s) WITH CHECK (%s)', un || '_tenant', un, own, own);
  END LOOP;
  -- From the first row on: the worker joins hundreds of identifiers with these tables. For a tenant without statistics PostgreSQL
  -- would expect one row, and compare each identifier with each row.
  FOREACH un IN ARRAY ARRAY['evenement', 'webhook', 'livraison', 'courriel', 'courriel_destinataire'] LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN tenant_id SET STATISTICS 0', un);
    PERFORM pg_restore_attribute_stats('schemaname', 'public', 'relname', un::text, 'attname', 'tenant_id',
      'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real);
  END LOOP;
END $$;
