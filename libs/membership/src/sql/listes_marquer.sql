-- Adds the transaction to the state of the tenant's lists, once. Every transaction that changes what they show does so (docs/adr/0050).
CREATE OR REPLACE FUNCTION listes_marquer(tenant uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('app.listes_marquees', true) IS DISTINCT FROM 'oui' THEN
    INSERT INTO etat_listes (tenant_id) VALUES (tenant);
    PERFORM set_config('app.listes_marquees', 'oui', true);
  END IF;
END $$;
