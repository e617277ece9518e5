-- Divides the ballots of a closed box into classes of one weight each, numbered from 1: the class of each union, employer
-- and weight, with its ballots. In a class of several weights, the weight of an option less its votes would reveal some
-- of them. A cell is all ballots of one union, employer and weight. With a threshold of k:
--   a cell of at least k ballots is a class;
--   smaller cells of one union with at least k ballots together are a class;
--   all other cells of a weight are its rest, which joins the smallest class of the weight if it is below k;
--   a weight with fewer than k ballots joins the smallest other class, because the total already shows its ballots.
-- With a threshold of 1 each union and employer is a class.
CREATE OR REPLACE FUNCTION urne_classes(campagne uuid)
  RETURNS TABLE (syndicat text, employeur text, poids numeric, classe integer, bulletins bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned()
  ) THEN RETURN; END IF;
  RETURN QUERY
  WITH cell AS (
    SELECT b.syndicat_id_externe AS syndicat, b.employeur_identifiant_externe AS employeur, b.poids,
      CASE WHEN c.seuil_anonymat > 1 THEN b.poids END AS weight, c.seuil_anonymat AS k, count(*) AS n
    FROM bulletin b JOIN campagne c ON c.tenant_id = b.tenant_id AND c.id_unique = b.campagne_id
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
    GROUP BY 1, 2, 3, 4, 5
  ), kind AS (
    SELECT cell.*, CASE WHEN n >= k THEN 0
      WHEN sum(n) FILTER (WHERE n < k) OVER (PARTITION BY weight, syndicat) >= k THEN 1
      ELSE 2 END AS kind
    FROM cell
  ), numbered AS (
    SELECT kind.*, dense_rank() OVER (ORDER BY kind, weight,
      CASE WHEN kind < 2 THEN syndicat END, CASE WHEN kind = 0 THEN employeur END) AS number
    FROM kind
  ), sized AS (
    SELECT numbered.*, sum(n) OVER (PARTITION BY number) AS size FROM numbered
  ), of_weight AS (
    SELECT sized.*, CASE WHEN size < k
      THEN first_value(number) OVER (PARTITION BY weight ORDER BY size < k, size, number)
      ELSE number END AS joined
    FROM sized
  ), weighed AS (
    SELECT of_weight.*, sum(n) OVER (PARTITION BY joined) AS total FROM of_weight
  ), classed AS (
    SELECT weighed.*, CASE WHEN total < k THEN first_value(joined) OVER (ORDER BY total < k, total, joined)
      ELSE joined END AS class
    FROM weighed
  )
  SELECT classed.syndicat, classed.employeur, classed.poids,
    (dense_rank() OVER (ORDER BY classed.class))::integer, classed.n
  FROM classed;
END
$$;
