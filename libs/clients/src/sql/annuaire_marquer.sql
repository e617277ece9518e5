-- Gives the directory a new state, once in a transaction: what a key opens has changed (docs/adr/0065).
CREATE OR REPLACE FUNCTION annuaire_marquer() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  UPDATE etat_annuaire SET etat = gen_random_uuid() WHERE xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END
$$;
