-- Returns the bytes of an encrypted ballot of a published campaign (docs/encrypted-vote.md, "The ballot").
CREATE OR REPLACE FUNCTION urne_taille_chiffre(campagne uuid)
  RETURNS integer
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT (1 + sum(64 * (q.nombre_options + 1) + 128 * q.nombre_options
    + 96 * (q.max_reponses - greatest(1, q.min_reponses) + 2)))::integer
  FROM urne_question q
  WHERE q.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND q.campagne_id = $1
$$;
