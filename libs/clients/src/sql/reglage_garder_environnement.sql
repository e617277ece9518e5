-- A data space stays in its environment, because what rehearsals may do depends on it (docs/adr/0058).
CREATE OR REPLACE FUNCTION reglage_garder_environnement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = 'A data space cannot change its environment.';
END
$$;
