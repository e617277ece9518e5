-- Returns the published filters of a sealed box with ballots, and their answers: of rankings, the first choice. A filter
-- names a union, an employer, or both; it is published if it consists of whole classes (urne_divulgue). The rows of a
-- filter follow each other.
CREATE OR REPLACE FUNCTION urne_filtrer(campagne uuid)
  RETURNS TABLE (syndicat text, employeur text, question integer, reponse text, bulletins bigint, poids numeric)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  -- For a box without statistics PostgreSQL expects one row: it would compare each filter with each answer.
  SET enable_nestloop = off
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_scellee AND c.urne_constat IS NULL
  ) THEN RETURN; END IF;
  RETURN QUERY
  WITH counted AS (
    SELECT d.syndicat_id_externe AS syndicat, d.employeur_identifiant_externe AS employeur, d.classe, d.question,
      d.reponse, d.bulletins, d.poids
    FROM depouillement d
    WHERE d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND d.campagne_id = $1
  ), cell AS (
    SELECT DISTINCT c.syndicat, c.employeur, c.classe FROM counted c WHERE c.question = 0
  ), size AS (
    SELECT c.classe, count(*) AS cells FROM cell c GROUP BY c.classe
  ), part AS (
    SELECT c.syndicat, c.employeur, c.classe, count(*) AS cells FROM cell c
    GROUP BY GROUPING SETS ((c.syndicat, c.classe), (c.employeur, c.classe), (c.syndicat, c.employeur, c.classe))
    -- A voter without a union or employer is in no filter by it.
    HAVING (grouping(c.syndicat) = 1 OR c.syndicat IS NOT NULL) AND (grouping(c.employeur) = 1 OR c.employeur IS NOT NULL)
  ), told AS (
    SELECT jsonb_build_array(p.syndicat, p.employeur) AS filter FROM part p JOIN size s ON s.classe = p.classe
    GROUP BY 1
    HAVING bool_and(p.cells = s.cells)
  ), answers AS (
    SELECT c.syndicat, c.employeur, c.question, c.reponse, sum(c.bulletins)::bigint AS bulletins, sum(c.poids) AS poids
    FROM counted c
    GROUP BY GROUPING SETS ((c.syndicat, c.question, c.reponse), (c.employeur, c.question, c.reponse),
      (c.syndicat, c.employeur, c.question, c.reponse))
    HAVING (grouping(c.syndicat) = 1 OR c.syndicat IS NOT NULL) AND (grouping(c.employeur) = 1 OR c.employeur IS NOT NULL)
  )
  SELECT a.syndicat, a.employeur, a.question, a.reponse, a.bulletins, a.poids
  FROM answers a JOIN told t ON t.filter = jsonb_build_array(a.syndicat, a.employeur)
  ORDER BY 1 NULLS FIRST, 2 NULLS FIRST, 3;
END
$$;
