-- Returns the transaction's row of changement_lot, which the first change makes. The row gets each kind once.
CREATE OR REPLACE FUNCTION changement_lot_courant(tenant uuid, entite text) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  lot uuid := nullif(current_setting('app.changement_lot', true), '')::uuid;
  notees text[] := string_to_array(current_setting('app.changement_entites', true), ' ');
BEGIN
  IF lot IS NULL THEN
    INSERT INTO changement_lot (tenant_id, origine, sync_id, entites) VALUES (
      tenant,
      coalesce(nullif(current_setting('app.origine', true), ''), 'api'),
      nullif(current_setting('app.sync_id', true), '')::uuid,
      ARRAY[entite]
    ) RETURNING id_unique INTO lot;
    PERFORM set_config('app.changement_lot', lot::text, true), set_config('app.changement_entites', entite, true);
  ELSIF entite <> ALL (notees) THEN
    UPDATE changement_lot l SET entites = notees || entite WHERE l.tenant_id = tenant AND l.id_unique = lot;
    PERFORM set_config('app.changement_entites', array_to_string(notees || entite, ' '), true);
  END IF;
  RETURN lot;
END $$;
