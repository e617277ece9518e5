-- Brings stored identifiers to Unicode's form NFC, as every request is. An identifier moves with all that refers to it, or stays with
-- all of it. It stays if another row of its data space has the composed one, because two rows would become one.
--
-- These are never rewritten:
-- - ballots, counts, participation, bundles and the log of receipts, and the union and the employer of voters of a campaign with votes:
--   ballots have these texts, and the digests of a bundle cover them. No digest covers `Identifiant` and the employee of a voter;
-- - the audit trail, events and their deliveries, recorded answers, and tasks, because they show the texts that were sent or answered;
-- - custom values of cards, requests and consents, and names, titles and labels: people signed, published or wrote them, and nothing is
--   looked up by them.
--
-- The feed of changes gets no entry, and `derniereMaj` stays, because a partner reaches the same row by the same request as before;
-- an entry would name an identifier that a partner who compares bytes does not know. Earlier entries get the composed one, because
-- exports and erasures of a person look for it.
--
-- The search reads keys by their indexes and locks nothing. Only if it finds any are the tables of that kind locked, and each row is
-- compared again: policies are forced, a trigger of the feed would write for each data space, and keys and references change together.
CREATE OR REPLACE FUNCTION identifiants_composer(seul uuid DEFAULT NULL, suffixe text DEFAULT '')
RETURNS TABLE (espace uuid, sorte text, portee text, identifiant text, compose text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  un uuid;
  ici record;
  fin text;
  tables regclass[];
  cles text[];
  -- Voters of campaigns without votes. Ballots and counts have the texts of those who voted.
  sans_votes text := 'NOT EXISTS (
      SELECT FROM votant w WHERE w.tenant_id = t.tenant_id AND w.campagne_id = t.campagne_id AND w.a_vote
    ) AND NOT EXISTS (
      SELECT FROM campagne w WHERE w.tenant_id = t.tenant_id AND w.id_unique = t.campagne_id AND w.urne_close
    )';
BEGIN
  DROP TABLE IF EXISTS pg_temp.lieu, pg_temp.trouve;
  -- Columns of identifiers. key: identifies a row, so two may not become one. note: text that identifies no row. copy and list: refer
  -- to a key. read: a table that a condition reads. portee: scope in which the identifier is unique, in addition to the data space.
  -- lignes: the rows that are meant. Parts of other identifiers come first: the scope of a choice is the name of its field.
  CREATE TEMPORARY TABLE lieu (
    numero integer GENERATED ALWAYS AS IDENTITY, sorte text, role text, nom text, colonne text, portee text DEFAULT '''''',
    lignes text DEFAULT 'true'
  ) ON COMMIT DROP;
  INSERT INTO lieu (sorte, role, nom, colonne, portee, lignes) VALUES
    ('ChoixChamp', 'key', 'choix_champ', 'id_externe', 't.nom_champ', DEFAULT),
    ('ChoixChamp', 'copy', 'valeur_champ_employe', 'id_externe_choix', 't.nom_champ', DEFAULT),
    ('Emploi', 'key', 'emploi', 'identifiant_externe', 't.id_externe_employe', DEFAULT),
    ('Emploi', 'copy', 'changement', 'id_externe', 't.id_externe_employe', 't.entite = ''Emploi'''),
    ('Votant', 'key', 'votant', 'identifiant', 't.campagne_id::text', DEFAULT),
    ('ChampUtilisateur', 'key', 'champ_utilisateur', 'nom', DEFAULT, DEFAULT),
    ('ChampUtilisateur', 'copy', 'choix_champ', 'nom_champ', DEFAULT, DEFAULT),
    ('ChampUtilisateur', 'copy', 'formulaire_champ', 'nom_champ', DEFAULT, DEFAULT),
    ('ChampUtilisateur', 'copy', 'valeur_champ_employe', 'nom_champ', DEFAULT, DEFAULT),
    ('ObjetConsentement', 'key', 'objet_consentement', 'id_externe', DEFAULT, DEFAULT),
    ('ObjetConsentement', 'copy', 'consentement', 'id_externe_objet', DEFAULT, DEFAULT),
    ('ObjetConsentement', 'copy', 'consentement_demande', 'id_externe_objet', DEFAULT, DEFAULT),
    ('ObjetConsentement', 'copy', 'formulaire_objet', 'id_externe_objet', DEFAULT, DEFAULT),
    ('ObjetConsentement', 'copy', 'changement', 'id_externe', DEFAULT, 't.entite = ''ObjetConsentement'''),
    ('Employe', 'key', 'employe', 'id_externe', DEFAULT, DEFAULT),
    ('Employe', 'note', 'ancien_employe', 'id_externe', DEFAULT, DEFAULT),
    ('Employe', 'note', 'demande_adhesion', 'employe_id_externe_envoye', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'adhesion', 'id_externe_employe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'consentement', 'id_externe_employe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'demande_adhesion', 'id_externe_employe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'emploi', 'id_externe_employe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'membership', 'id_externe_employe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'valeur_champ_employe', 'id_externe_employe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'votant', 'employe_id_externe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'votant_ecarte', 'employe_id_externe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'changement', 'id_externe_employe', DEFAULT, DEFAULT),
    ('Employe', 'copy', 'changement', 'id_externe', DEFAULT, 't.entite = ''Employe'''),
    ('Employe', 'list', 'liste_electorale', 'employes', DEFAULT, DEFAULT),
    ('Employeur', 'key', 'employeur', 'id_externe', DEFAULT, DEFAULT),
    ('Employeur', 'copy', 'emploi', 'identifiant_externe_employeur', DEFAULT, DEFAULT),
    ('Employeur', 'copy', 'employe', 'identifiant_externe_employeur', DEFAULT, DEFAULT),
    ('Employeur', 'copy', 'syndicat_employeur', 'identifiant_externe_employeur', DEFAULT, DEFAULT),
    ('Employeur', 'copy', 'votant', 'employeur_identifiant_externe', DEFAULT, sans_votes),
    ('Employeur', 'read', 'campagne', '', DEFAULT, DEFAULT),
    ('Employeur', 'copy', 'changement', 'id_externe', DEFAULT, 't.entite = ''Employeur'''),
    ('Employeur', 'list', 'liste_electorale', 'employeurs', DEFAULT, DEFAULT),
    ('Syndicat', 'key', 'syndicat', 'id_externe', DEFAULT, DEFAULT),
    ('Syndicat', 'copy', 'adhesion', 'syndicat_id_externe', DEFAULT, DEFAULT),
    ('Syndicat', 'copy', 'demande_adhesion', 'syndicat_id_externe', DEFAULT, DEFAULT),
    ('Syndicat', 'copy', 'formulaire', 'syndicat_id_externe', DEFAULT, DEFAULT),
    ('Syndicat', 'copy', 'membership', 'syndicat_id_externe', DEFAULT, DEFAULT),
    ('Syndicat', 'copy', 'seance', 'syndicat_id_externe', DEFAULT, DEFAULT),
    ('Syndicat', 'copy', 'syndicat_employeur', 'id_externe_syndicat', DEFAULT, DEFAULT),
    ('Syndicat', 'copy', 'votant', 'syndicat_id_externe', DEFAULT, sans_votes),
    ('Syndicat', 'read', 'campagne', '', DEFAULT, DEFAULT),
    ('Syndicat', 'copy', 'changement', 'id_externe', DEFAULT, 't.entite = ''Syndicat'''),
    ('Syndicat', 'copy', 'changement', 'id_externe', DEFAULT, 't.entite = ''Adhesion'''),
    ('Syndicat', 'list', 'liste_electorale', 'syndicats', DEFAULT, DEFAULT);
  CREATE TEMPORARY TABLE trouve (
    sorte text, espace uuid, portee text COLLATE "C", identifiant text COLLATE "C", est_cle boolean, compose text COLLATE "C",
    nfc text COLLATE "C" GENERATED ALWAYS AS (normalize(identifiant)) STORED, PRIMARY KEY (espace, sorte, portee, identifiant)
  ) ON COMMIT DROP;
  -- Plans expect one data space to have all rows of a table.
  PERFORM set_config('enable_seqscan', 'off', true);
  FOR un IN SELECT tenant_id FROM reglage WHERE tenant_id = coalesce(seul, tenant_id) LOOP
    PERFORM set_config('app.tenant_id', un::text, true);
    FOR ici IN SELECT * FROM lieu WHERE role IN ('key', 'note') ORDER BY numero LOOP
      EXECUTE format('INSERT INTO trouve (sorte, espace, portee, identifiant, est_cle)
        SELECT DISTINCT %L, t.tenant_id, %s, t.%I, %L::boolean FROM %I t
        WHERE t.tenant_id = $1 AND t.%3$I IS NOT NFC NORMALIZED ON CONFLICT DO NOTHING',
        ici.sorte, ici.portee, ici.colonne, ici.role = 'key', ici.nom) USING un;
    END LOOP;
  END LOOP;
  PERFORM set_config('app.tenant_id', '', true), set_config('enable_seqscan', 'on', true);
  IF NOT EXISTS (SELECT FROM trouve) THEN RETURN; END IF;
  CREATE INDEX ON trouve (espace, sorte, portee, nfc);
  ANALYZE trouve;

  SELECT array_agg(DISTINCT nom::regclass ORDER BY nom::regclass) INTO tables
  FROM lieu WHERE sorte IN (SELECT sorte FROM trouve);
  SELECT array_agg(format('ALTER TABLE %s ALTER CONSTRAINT %I', conrelid::regclass, conname)) INTO cles
  FROM pg_constraint WHERE contype = 'f' AND NOT condeferrable AND conrelid = ANY (tables) AND confrelid = ANY (tables);
  FOR place IN 1 .. cardinality(tables) LOOP
    EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', tables[place]);
  END LOOP;
  FOR place IN 1 .. coalesce(cardinality(cles), 0) LOOP EXECUTE cles[place] || ' DEFERRABLE'; END LOOP;
  SET CONSTRAINTS ALL DEFERRED;

  FOR ici IN SELECT * FROM lieu ORDER BY numero LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM trouve WHERE sorte = ici.sorte);
    IF ici.role = 'key' THEN
      -- What no other row has, and notes, which may be equal. Then the others with the suffix, the first of those that would be equal.
      FOREACH fin IN ARRAY CASE WHEN suffixe = '' THEN ARRAY[''] ELSE ARRAY['', suffixe] END LOOP
        EXECUTE format('UPDATE trouve f SET compose = f.nfc || $1
          WHERE f.sorte = %L AND f.compose IS NULL AND char_length(f.nfc || $1) <= 255
            AND (NOT f.est_cle OR NOT EXISTS (
              SELECT FROM %I t WHERE t.tenant_id = f.espace AND t.%I = f.nfc || $1 AND %s = f.portee
            ) AND NOT EXISTS (
              SELECT FROM trouve g WHERE g.sorte = f.sorte AND g.espace = f.espace AND g.portee = f.portee AND g.est_cle
                AND g.identifiant <> f.identifiant AND g.nfc = f.nfc
                AND ($1 = '''' OR g.compose IS NULL AND g.identifiant < f.identifiant)
            ))', ici.sorte, ici.nom, ici.colonne, ici.portee) USING fin;
      END LOOP;
    END IF;
    CONTINUE WHEN ici.role = 'read' OR NOT EXISTS (SELECT FROM trouve WHERE sorte = ici.sorte AND compose IS NOT NULL);
    IF ici.role = 'list' THEN
      EXECUTE format('UPDATE %I t SET %I = (
          SELECT array_agg(coalesce(f.compose, u.un) ORDER BY u.place) FROM unnest(t.%2$I) WITH ORDINALITY u (un, place)
          LEFT JOIN trouve f ON f.sorte = %L AND f.espace = t.tenant_id AND f.identifiant = u.un)
        WHERE EXISTS (SELECT FROM trouve f WHERE f.sorte = %3$L AND f.espace = t.tenant_id AND f.compose IS NOT NULL
          AND f.identifiant = ANY (t.%2$I))', ici.nom, ici.colonne, ici.sorte);
    ELSE
      EXECUTE format('UPDATE %I t SET %I = f.compose FROM trouve f
        WHERE f.sorte = %L AND f.compose IS NOT NULL AND t.tenant_id = f.espace AND t.%2$I = f.identifiant
          AND %4$s = f.portee AND (%5$s)', ici.nom, ici.colonne, ici.sorte, ici.portee, ici.lignes);
    END IF;
  END LOOP;

  SET CONSTRAINTS ALL IMMEDIATE;
  FOR place IN 1 .. coalesce(cardinality(cles), 0) LOOP EXECUTE cles[place] || ' NOT DEFERRABLE'; END LOOP;
  FOR place IN 1 .. cardinality(tables) LOOP
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tables[place]);
  END LOOP;
  RETURN QUERY SELECT espace, sorte, portee, identifiant, compose FROM trouve ORDER BY 1, 2, 3, 4;
END $$;
REVOKE ALL ON FUNCTION identifiants_composer(uuid, text) FROM PUBLIC;
COMMENT ON FUNCTION identifiants_composer(uuid, text) IS 'Brings identifiers to NFC, in one data space or all. Returns those that were not: compose is null if another row has that identifier and there is no suffix. Needs the owner';
