-- Returns whether an answer of several places is valid: as many different options of the question as it allows, in the
-- order of the question if they are not ranked. A separate function, because each vote would have to prepare it in
-- urne_voter.
CREATE OR REPLACE FUNCTION urne_choisir(
  reponse text, min_reponses integer, max_reponses integer, nombre_options integer, est_preferentiel boolean
)
  RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  places integer[];
BEGIN
  IF reponse !~ '^(0|[1-9][0-9]{0,5})(,(0|[1-9][0-9]{0,5}))+$' THEN RETURN false; END IF;
  places := string_to_array(reponse, ',')::integer[];
  RETURN cardinality(places) BETWEEN min_reponses AND max_reponses AND (
    SELECT count(DISTINCT c.place) = count(*) AND max(c.place) < nombre_options
      AND (est_preferentiel OR array_agg(c.place ORDER BY c.place) = places)
    FROM unnest(places) c (place));
END
$$;
