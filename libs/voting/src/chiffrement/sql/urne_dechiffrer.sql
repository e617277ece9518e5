-- Keeps the decrypted sums of a sealed box, once: class, question, answer, ballots and weight of each. Answers are '' for abstentions,
-- '=' for all ballots that name an option, and '=2' for those that name the option at place 2. The sums of a class are kept with one of its
-- cells, because only whole classes are published (urne_divulgue). The bundle is due then.
CREATE OR REPLACE FUNCTION urne_dechiffrer(campagne uuid, sommes jsonb)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  UPDATE campagne c SET dechiffree = true, chiffrement_du = false, dossier_du = true
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND c.chiffree AND c.urne_scellee AND c.urne_constat IS NULL AND NOT c.dechiffree;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO depouillement (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, classe,
    question, reponse, bulletins, poids)
  SELECT c.tenant_id, c.campagne_id, c.syndicat_id_externe, c.employeur_identifiant_externe, c.classe,
    s.question, s.reponse, s.bulletins, s.poids
  FROM (
    SELECT DISTINCT ON (d.classe) d.* FROM depouillement d
    WHERE d.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND d.campagne_id = $1
    ORDER BY d.classe, d.syndicat_id_externe, d.employeur_identifiant_externe
  ) c JOIN jsonb_to_recordset($2) s (classe integer, question integer, reponse text, bulletins bigint, poids numeric)
    ON s.classe = c.classe;
  ANALYZE depouillement;
  RETURN true;
END
$$;
