-- Makes the transaction part of the state of the tenant's lists, once. Every transaction that changes what they show does so
-- (docs/adr/0050). Its row stands for those that are committed. It leaves rows that another transaction removes, and waits for none.
CREATE OR REPLACE FUNCTION listes_marquer(tenant uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('app.listes_marquees', true) IS DISTINCT FROM 'oui' THEN
    DELETE FROM etat_listes e
    USING (SELECT id_unique FROM etat_listes WHERE tenant_id = tenant FOR UPDATE SKIP LOCKED) free
    WHERE e.tenant_id = tenant AND e.id_unique = free.id_unique;
    INSERT INTO etat_listes (tenant_id) VALUES (tenant);
    PERFORM set_config('app.listes_marquees', 'oui', true);
  END IF;
END $$;
