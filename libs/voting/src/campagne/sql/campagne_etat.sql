-- Returns the state of a campaign at a moment, for reads and for the functions of the ballot box. In the domain it is
-- Campagne.etat; a test compares both. PostgreSQL inlines the function into queries, because it is neither
-- SECURITY DEFINER nor has settings. Inlining needs the moment to occur once, because it is a sub-select in queries:
-- width_bucket counts the dates that have come. A closed box has ended, so its closing is not read.
CREATE OR REPLACE FUNCTION campagne_etat(
  publiee boolean, archivee boolean, urne_close boolean, ouverture timestamptz, fermeture timestamptz,
  moment timestamptz
)
  RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE
    WHEN archivee THEN 'Archive'
    WHEN NOT publiee THEN 'Brouillon'
    ELSE (ARRAY['Planifie', 'VoteOuvert', 'Termine'])[
      1 + width_bucket(moment, ARRAY[ouverture, CASE WHEN urne_close THEN ouverture ELSE fermeture END])]
  END
$$;
