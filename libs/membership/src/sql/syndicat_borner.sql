-- A union is shown with all its employers, so their size is bounded: 8 MiB of JSON. Links and names of employers are written by several
-- operations at once; the trigger sees all of them. Unions that are larger already stay as they are.
CREATE OR REPLACE FUNCTION syndicat_borner() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  trop text;
  touches text := 'SELECT tenant_id, id_externe_syndicat FROM lignes';
BEGIN
  IF NOT EXISTS (SELECT FROM lignes) THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' THEN
    touches := 'SELECT s.tenant_id, s.id_externe_syndicat FROM lignes l
      JOIN avant a ON a.tenant_id = l.tenant_id AND a.id_unique = l.id_unique AND octet_length(a.nom) < octet_length(l.nom)
      JOIN syndicat_employeur s ON s.tenant_id = l.tenant_id AND s.identifiant_externe_employeur = l.id_externe';
  END IF;
  EXECUTE 'SELECT s.id_externe_syndicat FROM (SELECT DISTINCT * FROM (' || touches || ') t) t
    JOIN syndicat_employeur s ON s.tenant_id = t.tenant_id AND s.id_externe_syndicat = t.id_externe_syndicat
    JOIN employeur e ON e.tenant_id = s.tenant_id AND e.id_externe = s.identifiant_externe_employeur
    GROUP BY s.id_externe_syndicat
    HAVING sum(33 + octet_length(to_json(e.id_externe)::text) + octet_length(to_json(e.nom)::text)) > 8388608
    LIMIT 1' INTO trop;
  IF trop IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'syndicat_borne', MESSAGE = trop;
  END IF;
  RETURN NULL;
END $$;
