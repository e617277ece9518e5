-- Returns how far the clock of a rehearsal is ahead; null where no clock was moved. Reading the sequence costs 1 µs. The table is read only
-- in a database that has moved a clock (docs/adr/0058). Its schema is named, because a temporary table of the same name would come first.
CREATE OR REPLACE FUNCTION horloge_decalage() RETURNS interval LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF pg_sequence_last_value('public.horloge_essai_existe'::regclass) IS NULL THEN RETURN NULL; END IF;
  RETURN (
    SELECT h.decalage FROM public.horloge_essai h WHERE h.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
  );
END
$$;
COMMENT ON FUNCTION horloge_decalage() IS 'How far the clock of the tenant is ahead; null if it was never moved';
