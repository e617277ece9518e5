-- The trigger of horloge_essai, also for the rows that the mover of data spaces copies into a database.
CREATE OR REPLACE FUNCTION horloge_signaler() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM nextval('public.horloge_essai_existe');
  RETURN NULL;
END
$$;
