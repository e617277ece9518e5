-- The arguments of the trigger are the entity, the column of its identifier, and the column of its employee if any. One identifier of
-- version 7 for each statement; its last nine digits number the rows.
CREATE OR REPLACE FUNCTION changement_noter() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  tenant uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  nature text := '''' || CASE TG_OP WHEN 'INSERT' THEN 'Cree' WHEN 'DELETE' THEN 'Supprime' ELSE 'Modifie' END || '''';
  source text := 'lignes l';
  jour timestamptz;
  minuit timestamptz;
BEGIN
  -- A migration changes rows of no tenant, and changes nothing that a partner wrote. A renaming writes its changes itself.
  IF tenant IS NULL OR current_setting('app.renommage', true) = 'oui' OR NOT EXISTS (SELECT FROM lignes) THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND TG_NARGS = 3 THEN
    jour := tenant_today();
    minuit := (jour AT TIME ZONE 'UTC') AT TIME ZONE tenant_time_zone();
    nature := $sql$CASE WHEN l.date_fin <= borne_du_jour(l.date_fin, $2, $3)
      AND (a.date_fin IS NULL OR a.date_fin > borne_du_jour(a.date_fin, $2, $3)) THEN 'Termine' ELSE 'Modifie' END$sql$;
    source := format('lignes l JOIN avant a ON a.tenant_id = l.tenant_id AND a.%1$I = l.%1$I AND a.%2$I = l.%2$I',
      TG_ARGV[1], TG_ARGV[2]);
  END IF;
  EXECUTE format(
    'INSERT INTO changement (tenant_id, lot, id_unique, entite, id_externe, id_externe_employe, nature)
     SELECT l.tenant_id, $1, ($4 || (100000000 + row_number() OVER ()))::uuid, %L, l.%I, %s, %s FROM %s',
    TG_ARGV[0], TG_ARGV[1], CASE WHEN TG_NARGS = 3 THEN format('l.%I', TG_ARGV[2]) ELSE 'NULL' END, nature, source
  ) USING changement_lot_courant(tenant, TG_ARGV[0]), jour, minuit, left(uuidv7()::text, 27);
  RETURN NULL;
END $$;
