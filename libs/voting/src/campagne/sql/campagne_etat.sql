-- Returns the state of a campaign at a moment, for reads and for the functions of the ballot box. In the domain it is
-- Campagne.etat; a test compares both. PostgreSQL inlines the function into queries, because it is neither
-- SECURITY DEFINER nor has settings; inlining needs a moment that is not volatile, such as statement_timestamp().
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
    WHEN moment < ouverture THEN 'Planifie'
    WHEN moment < fermeture AND NOT urne_close THEN 'VoteOuvert'
    ELSE 'Termine'
  END
$$;
