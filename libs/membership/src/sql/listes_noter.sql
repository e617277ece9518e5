-- The trigger of tables that lists show (docs/adr/0050). changement_noter does not call listes_marquer, because earlier migrations create
-- changement_noter from its file, before listes_marquer exists.
CREATE OR REPLACE FUNCTION listes_noter() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  tenant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
BEGIN
  IF tenant IS NOT NULL AND EXISTS (SELECT FROM lignes) THEN PERFORM listes_marquer(tenant); END IF;
  RETURN NULL;
END $$;
