-- Returns whether a voter already has this weight and right to vote. Not STABLE, because it must see rows committed
-- meanwhile.
CREATE OR REPLACE FUNCTION urne_vote_inchange(votant uuid, campagne uuid, poids numeric, a_droit_de_vote boolean)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM votant v
    WHERE v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $2
      AND v.id_unique = $1 AND v.poids = $3 AND v.a_droit_de_vote = $4
  );
END
$$;
