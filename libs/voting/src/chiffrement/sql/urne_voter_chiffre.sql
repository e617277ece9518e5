-- Marks the voter and inserts an encrypted ballot and its receipt, as urne_voter does for answers. The caller has checked the
-- proofs: here only the length can be. The digest of the voter is computed here, so no ballot is kept under another voter's.
CREATE OR REPLACE FUNCTION urne_voter_chiffre(campagne uuid, votant uuid, publications integer, chiffre bytea)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  WITH voter AS (
    UPDATE votant v SET a_vote = true FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.publications = $3 AND c.chiffree
      AND campagne_etat(c.publiee, c.archivee, c.urne_close, c.ouverture_du_vote_utc, c.fermeture_du_vote_utc,
        tenant_clock(clock_timestamp())) = 'VoteOuvert'
      AND octet_length($4) = urne_taille_chiffre($1)
      AND v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
      AND v.id_unique = $2 AND v.a_droit_de_vote AND NOT v.a_vote
    RETURNING v.syndicat_id_externe, v.employeur_identifiant_externe, v.poids
  ), ballot AS (
    INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses,
      chiffre, votant)
    SELECT nullif(current_setting('app.tenant_id', true), '')::uuid, $1,
      syndicat_id_externe, employeur_identifiant_externe, poids, '{}', $4,
      sha256(convert_to('mandat/chiffre/1/votant', 'UTF8') || uuid_send($1) || uuid_send($2))
    FROM voter
  )
  INSERT INTO recu (tenant_id, campagne_id, empreinte)
  SELECT nullif(current_setting('app.tenant_id', true), '')::uuid, $1, sha256($4) FROM voter;
  RETURN FOUND;
END
$$;
