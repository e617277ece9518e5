-- Notes the rows that a statement writes before and after it, in the temporary table of the transaction of a sync (docs/adr/0052). The
-- arguments of the trigger are the kind of the record, the column of its identifier, and that of the record that has it if any. A sync
-- changes neither column. Text of JSON is made and copied faster than jsonb.
CREATE OR REPLACE FUNCTION effets_noter() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  parent text := CASE WHEN TG_NARGS = 3 THEN format('l.%I', TG_ARGV[2]) ELSE 'NULL' END;
  ligne text := (
    SELECT '(SELECT row_to_json(r) FROM (SELECT ' || string_agg('%1$s.' || quote_ident(attname), ', ' ORDER BY attnum) || ') r)'
    FROM pg_attribute WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'tenant_id');
BEGIN
  EXECUTE format('INSERT INTO pg_temp.effets (entite, id_externe, parent, avant, apres) SELECT %L, l.%I, %s, %s, %s FROM lignes l',
    TG_ARGV[0], TG_ARGV[1], parent,
    CASE TG_OP WHEN 'INSERT' THEN 'NULL' ELSE format(ligne, CASE TG_OP WHEN 'DELETE' THEN 'l' ELSE 'a' END) END,
    CASE TG_OP WHEN 'DELETE' THEN 'NULL' ELSE format(ligne, 'l') END
  ) || CASE WHEN TG_OP <> 'UPDATE' THEN '' WHEN TG_NARGS = 2 THEN format(' JOIN avant a ON a.tenant_id = l.tenant_id AND a.%1$I = l.%1$I', TG_ARGV[1])
    ELSE format(' JOIN avant a ON a.tenant_id = l.tenant_id AND a.%1$I = l.%1$I AND a.%2$I = l.%2$I', TG_ARGV[1], TG_ARGV[2]) END;
  RETURN NULL;
END $$;
