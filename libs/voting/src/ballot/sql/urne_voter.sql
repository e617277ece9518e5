-- Marks the voter and inserts the ballot and the digest of its receipt, with the voter's current weight, union and
-- employer. Returns false if the vote is not open, if the voter may not vote, or if the ballot does not answer each
-- question of the box (in the domain: answersOf). The caller holds the shared lock of the campaign.
CREATE OR REPLACE FUNCTION urne_voter(
  campagne uuid, votant uuid, publications integer, reponses text[], empreinte bytea
)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  WITH voter AS (
    UPDATE votant v SET a_vote = true FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.publications = $3 AND NOT c.chiffree
      AND campagne_etat(c.publiee, c.archivee, c.urne_close, c.ouverture_du_vote_utc, c.fermeture_du_vote_utc,
        tenant_clock(clock_timestamp())) = 'VoteOuvert'
      AND (
        SELECT count(*) = cardinality($4) AND bool_and(
          CASE WHEN $4[q.place + 1] = '' THEN true
            WHEN $4[q.place + 1] ~ '^(0|[1-9][0-9]{0,5})$'
            THEN q.min_reponses <= 1 AND q.max_reponses >= 1 AND $4[q.place + 1]::integer < q.nombre_options
            ELSE urne_choisir($4[q.place + 1], q.min_reponses, q.max_reponses, q.nombre_options, q.est_preferentiel)
          END IS TRUE)
        FROM urne_question q
        WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
      )
      AND v.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND v.campagne_id = $1
      AND v.id_unique = $2 AND v.a_droit_de_vote AND NOT v.a_vote
    RETURNING v.syndicat_id_externe, v.employeur_identifiant_externe, v.poids
  ), ballot AS (
    INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
    SELECT nullif(current_setting('app.tenant_id', true), '')::uuid, $1,
      syndicat_id_externe, employeur_identifiant_externe, poids, $4
    FROM voter
  )
  INSERT INTO recu (tenant_id, campagne_id, empreinte)
  SELECT nullif(current_setting('app.tenant_id', true), '')::uuid, $1, $5 FROM voter;
  RETURN FOUND;
END
$$;
