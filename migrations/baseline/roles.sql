-- Roles belong to the whole server, so another database of the server may already have created them. Only the migrating user,
-- as which the processes often log in, gets them, and none gets the role of the ballot box.
DO $$
DECLARE
  role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['mandat_app', 'mandat_access', 'mandat_queue', 'mandat_effacement', 'mandat_urne'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS', role);
    EXCEPTION WHEN duplicate_object THEN NULL;
    END;
    CONTINUE WHEN role = 'mandat_urne';
    EXECUTE format('GRANT %I TO CURRENT_USER', role);
  END LOOP;
  -- Bulk writes stage their records in temporary tables.
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO mandat_app', current_database());
END $$;
-- The role of erasures has the rights of the application and those of an erasure (docs/adr/0018).
GRANT mandat_app TO mandat_effacement;
GRANT USAGE ON SCHEMA public TO mandat_app, mandat_access, mandat_urne;
-- pg-boss fills it.
CREATE SCHEMA pgboss;
GRANT USAGE ON SCHEMA pgboss TO mandat_queue, mandat_app;
