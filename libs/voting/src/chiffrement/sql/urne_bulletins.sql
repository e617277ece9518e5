-- Returns encrypted ballots of a sealed box in the order of their receipts, from behind one of them
-- (docs/encrypted-vote.md, "The count").
CREATE OR REPLACE FUNCTION urne_bulletins(campagne uuid, apres bytea, nombre integer)
  RETURNS TABLE (recu bytea, syndicat text, employeur text, poids text, bulletin text, votant text)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.chiffree AND c.urne_scellee AND c.urne_constat IS NULL
  ) THEN RETURN; END IF;
  RETURN QUERY
  SELECT sha256(t.chiffre), t.syndicat_id_externe, t.employeur_identifiant_externe, trim_scale(t.poids)::text,
    translate(encode(t.chiffre, 'base64'), E'+/=\n', '-_'), translate(encode(t.votant, 'base64'), E'+/=\n', '-_')
  FROM bulletin t
  WHERE t.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND t.campagne_id = $1
    AND t.chiffre IS NOT NULL AND sha256(t.chiffre) > $2
  ORDER BY sha256(t.chiffre) LIMIT $3;
END
$$;
