-- Returns whether the result of a union and employer is published: for a sealed box if it consists of whole classes
-- (urne_sceller); before the sealing only if the campaign has no threshold.
CREATE OR REPLACE FUNCTION urne_divulgue(campagne uuid, syndicat text, employeur text)
  RETURNS boolean
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  -- Each statement is planned for its values, because filters may be absent.
  SET plan_cache_mode = force_custom_plan
  SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  k integer; sealed boolean;
BEGIN
  SELECT c.seuil_anonymat, c.urne_scellee INTO k, sealed FROM campagne c
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND c.urne_fermee_par IS NOT NULL AND c.urne_fermee_par IS DISTINCT FROM pg_current_xact_id_if_assigned();
  IF k = 1 OR NOT coalesce(sealed, false) THEN RETURN k = 1; END IF;
  -- No class of the matching rows has others: each is looked up by its index.
  RETURN NOT EXISTS (
    SELECT FROM (
      SELECT DISTINCT d.classe FROM depouillement d
      WHERE d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND d.campagne_id = $1
        AND d.question = 0
        AND (($2 IS NULL OR d.syndicat_id_externe = $2) AND ($3 IS NULL OR d.employeur_identifiant_externe = $3))
    ) c WHERE EXISTS (
      SELECT FROM depouillement d
      WHERE d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND d.campagne_id = $1
        AND d.classe = c.classe AND d.question = 0
        AND (($2 IS NULL OR d.syndicat_id_externe = $2) AND ($3 IS NULL OR d.employeur_identifiant_externe = $3)) IS NOT TRUE
    ));
END
$$;
