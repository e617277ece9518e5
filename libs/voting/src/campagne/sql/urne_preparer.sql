-- Copies the questions of a campaign into the box at its publication, with a new seed; the threshold only at the first
-- publication. Rejected if there are votes. The caller holds the exclusive lock of the campaign. First the function
-- waits for running transactions that have written the questions or options, or cast a ballot. A new ballot or question
-- locks the campaign's row, a new option that of its question. Later statements see their writes.
CREATE OR REPLACE FUNCTION urne_preparer(campagne uuid)
  RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  PERFORM FROM campagne c
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
  FOR UPDATE;
  PERFORM FROM question q
  WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
  FOR UPDATE;
  PERFORM FROM option o
  WHERE o.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND o.question_id IN (
    SELECT q.id_unique FROM question q
    WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
  )
  FOR UPDATE;
  IF EXISTS (
    SELECT FROM bulletin b
    WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
  ) OR NOT EXISTS (
    SELECT FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
      AND c.publiee AND NOT c.urne_close
  ) THEN RAISE EXCEPTION 'The campaign is not published, or has ballots.'; END IF;
  DELETE FROM urne u
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1;
  IF EXISTS (
    SELECT FROM chiffrement h
    WHERE h.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND h.campagne_id = $1 AND h.cle IS NULL
  ) THEN RAISE EXCEPTION 'The guardians have no key yet.'; END IF;
  INSERT INTO urne (tenant_id, campagne_id, graine, cle, ceremonie)
  SELECT c.tenant_id, c.id_unique,
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), h.cle, h.ceremonie
  FROM campagne c LEFT JOIN chiffrement h ON h.tenant_id = c.tenant_id AND h.campagne_id = c.id_unique
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1;
  INSERT INTO urne_question (tenant_id, campagne_id, place, question_id, titre, type, est_preferentiel, min_reponses,
    max_reponses, nombre_elus, nombre_options)
  SELECT q.tenant_id, q.campagne_id,
    row_number() OVER (PARTITION BY q.tenant_id, q.campagne_id ORDER BY q.ordre) - 1,
    q.id_unique, q.titre, q.type, q.est_preferentiel, q.min_reponses, least(q.max_reponses, o.options), q.nombre_elus,
    o.options
  FROM question q CROSS JOIN LATERAL (
    SELECT count(*)::integer AS options FROM option o
    WHERE o.tenant_id = q.tenant_id AND o.question_id = q.id_unique
  ) o
  WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1;
  INSERT INTO urne_option (tenant_id, campagne_id, question, place, option_id, libelle)
  SELECT u.tenant_id, u.campagne_id, u.place,
    row_number() OVER (PARTITION BY o.tenant_id, o.question_id ORDER BY o.ordre) - 1, o.id_unique, o.libelle
  FROM urne_question u JOIN option o ON o.tenant_id = u.tenant_id AND o.question_id = u.question_id
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1;
  UPDATE campagne c SET chiffree = u.cle IS NOT NULL FROM urne u
  WHERE u.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND u.campagne_id = $1
    AND c.tenant_id = u.tenant_id AND c.id_unique = u.campagne_id AND c.chiffree <> (u.cle IS NOT NULL);
  UPDATE campagne c SET seuil_anonymat = coalesce((
    SELECT s.seuil_anonymat FROM reglage s
    WHERE s.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
  ), 1)
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND c.seuil_anonymat IS NULL;
END
$$;
