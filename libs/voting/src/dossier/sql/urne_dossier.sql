-- Returns the answers in a sealed box to one question by class (urne_classes), rankings to their last rank. The result is
-- lines of text, a thousand in each row, sorted by the text of the class: class, ballots, their weight, the decimals of the
-- finest weight, and the answer. Of an encrypted vote they are the decrypted sums (urne_dechiffrer).
CREATE OR REPLACE FUNCTION urne_dossier(campagne uuid, question integer)
  RETURNS TABLE (lignes text)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  -- For a box without statistics PostgreSQL expects one row: it would compare each class with each answer.
  SET enable_nestloop = off
  SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  IF (
    SELECT c.urne_scellee AND c.urne_constat IS NULL FROM campagne c
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
  ) IS NOT TRUE THEN RETURN; END IF;
  RETURN QUERY
  SELECT string_agg(concat_ws(' ', l.classe, l.ballots, l.weight, l.decimals, l.answer), E'\n' ORDER BY l.place)
  FROM (
    SELECT k.classe, g.answer, sum(g.ballots) AS ballots, sum(g.ballots * g.poids) AS weight,
      max(scale(trim_scale(g.poids))) AS decimals, row_number() OVER (ORDER BY k.classe::text COLLATE "C") AS place
    FROM (
      SELECT b.syndicat_id_externe AS syndicat, b.employeur_identifiant_externe AS employeur, b.poids,
        b.reponses[$2 + 1] AS answer, count(*) AS ballots
      FROM bulletin b
      WHERE b.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND b.campagne_id = $1
      GROUP BY 1, 2, 3, 4
    ) g
      -- The key of a cell, including nulls, as one value.
      JOIN urne_classes($1) k ON jsonb_build_array(k.syndicat, k.employeur, k.poids)
        = jsonb_build_array(g.syndicat, g.employeur, g.poids)
    WHERE g.answer IS NOT NULL
    GROUP BY k.classe, g.answer
    UNION ALL
    SELECT d.classe, d.reponse, sum(d.bulletins), sum(d.poids), max(scale(trim_scale(d.poids))),
      row_number() OVER (ORDER BY d.classe::text COLLATE "C", d.reponse)
    FROM campagne c JOIN depouillement d ON d.tenant_id = c.tenant_id AND d.campagne_id = c.id_unique
    WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1 AND c.chiffree
      AND d.question = $2
    GROUP BY d.classe, d.reponse
  ) l
  GROUP BY (l.place - 1) / 1000
  ORDER BY (l.place - 1) / 1000;
END
$$;
