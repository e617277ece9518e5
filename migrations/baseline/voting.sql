-- The state is not a column. It is computed from these facts and the time, because it must be correct at any moment, with or
-- without a worker. Titles compare in NFC and without case.
CREATE TABLE campagne (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  titre text NOT NULL,
  titre_compare text COLLATE "C" NOT NULL GENERATED ALWAYS AS (normalize(casefold(normalize(titre) COLLATE pg_unicode_fast))) STORED,
  slug text COLLATE "C" NOT NULL,
  ouverture_du_vote_utc timestamptz(3) NOT NULL,
  fermeture_du_vote_utc timestamptz(3) NOT NULL,
  texte_page_accueil text,
  libelle_abstention text,
  ordre_reponses_aleatoire boolean NOT NULL,
  publiee boolean NOT NULL DEFAULT false,
  archivee boolean NOT NULL DEFAULT false,
  ouverture_annoncee boolean NOT NULL DEFAULT false,
  fermeture_annoncee boolean NOT NULL DEFAULT false,
  nombre_votants integer NOT NULL DEFAULT 0 CHECK (nombre_votants >= 0),
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  date_modification timestamptz(3) NOT NULL DEFAULT now(),
  publications integer NOT NULL DEFAULT 0,
  urne_fermee_par xid8,
  urne_close boolean NOT NULL GENERATED ALWAYS AS (urne_fermee_par IS NOT NULL) STORED,
  urne_scellee boolean NOT NULL DEFAULT false,
  seuil_anonymat integer CHECK (seuil_anonymat >= 1),
  raison_seuil_anonymat text,
  urne_anomalies text[],
  urne_constat text,
  urne_constat_date timestamptz,
  votants_ajoutes integer NOT NULL DEFAULT 0,
  votants_retires integer NOT NULL DEFAULT 0,
  votants_modifies integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT campagne_titre_key UNIQUE (tenant_id, titre_compare),
  CONSTRAINT campagne_slug_key UNIQUE (tenant_id, slug),
  CONSTRAINT campagne_check CHECK (ouverture_du_vote_utc <= fermeture_du_vote_utc),
  CONSTRAINT campagne_check1 CHECK (urne_constat IS NULL OR urne_scellee)
);
COMMENT ON COLUMN campagne.ouverture_annoncee IS 'Whether the event of this opening has been written';
COMMENT ON COLUMN campagne.nombre_votants IS 'Rows of votant: kept here because lists of campaigns show it';
COMMENT ON COLUMN campagne.publications IS 'How often it was published: a ballot is for the questions of one publication';
COMMENT ON COLUMN campagne.urne_fermee_par IS 'The transaction that closed the ballot box, for good: none of its votes is under way any more';
COMMENT ON COLUMN campagne.urne_scellee IS 'Whether roll, ballots and receipts were written anew, and the count is kept';
COMMENT ON COLUMN campagne.seuil_anonymat IS 'Set at the first publication, or by an administrator in a draft';
COMMENT ON COLUMN campagne.urne_anomalies IS 'What did not agree when the box was to be sealed';
COMMENT ON COLUMN campagne.urne_constat IS 'Why an administrator sealed the box without a result';
CREATE INDEX campagne_creation ON campagne (tenant_id, date_creation, id_unique);
-- The scheduler and the worker read what is due in all tenants, and no other rows.
CREATE INDEX campagne_ouverture_due ON campagne (ouverture_du_vote_utc)
  WHERE publiee AND NOT ouverture_annoncee;
CREATE INDEX campagne_fermeture_due ON campagne (fermeture_du_vote_utc)
  WHERE publiee AND NOT fermeture_annoncee;
CREATE INDEX campagne_urne_due ON campagne (fermeture_du_vote_utc)
  WHERE publiee AND NOT urne_close;
CREATE INDEX campagne_scellement_du ON campagne (fermeture_du_vote_utc)
  WHERE urne_close AND NOT urne_scellee;
CREATE POLICY campagne_ouverture_due ON campagne FOR SELECT TO mandat_access
  USING (publiee AND NOT ouverture_annoncee AND ouverture_du_vote_utc <= now());
CREATE POLICY campagne_fermeture_due ON campagne FOR SELECT TO mandat_access
  USING (publiee AND NOT fermeture_annoncee AND fermeture_du_vote_utc <= now());
CREATE POLICY campagne_urne_due ON campagne FOR SELECT TO mandat_access
  USING (publiee AND NOT urne_close AND fermeture_du_vote_utc <= now());
CREATE POLICY campagne_scellement_du ON campagne FOR SELECT TO mandat_access
  USING (urne_close AND NOT urne_scellee);

CREATE TABLE question (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  campagne_id uuid NOT NULL,
  ordre integer NOT NULL,
  titre text NOT NULL,
  description text,
  type text NOT NULL CHECK (type IN ('Proposition', 'ChoixLibre', 'Election')),
  est_preferentiel boolean NOT NULL,
  ordre_reponses_aleatoire integer NOT NULL CHECK (ordre_reponses_aleatoire BETWEEN 0 AND 2),
  min_reponses integer NOT NULL,
  max_reponses integer,
  nombre_elus integer,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT question_ordre_key UNIQUE (tenant_id, campagne_id, ordre)
    DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT question_check CHECK (NOT (est_preferentiel AND type = 'Proposition')),
  CONSTRAINT question_check1 CHECK (min_reponses BETWEEN 1 AND coalesce(max_reponses, min_reponses)),
  CONSTRAINT question_check2 CHECK ((type = 'Election') = (nombre_elus IS NOT NULL)),
  CONSTRAINT question_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
    REFERENCES campagne (tenant_id, id_unique) ON DELETE CASCADE
);
COMMENT ON COLUMN question.max_reponses IS 'Null where all options may be ranked, however many there are';

CREATE TABLE "option" (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  question_id uuid NOT NULL,
  ordre integer NOT NULL,
  libelle text NOT NULL,
  description text,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT option_ordre_key UNIQUE (tenant_id, question_id, ordre)
    DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT option_question_fkey FOREIGN KEY (tenant_id, question_id)
    REFERENCES question (tenant_id, id_unique) ON DELETE CASCADE
);

-- Union and employer are the partner's identifiers without foreign keys, because a roll and its statistics outlive both. The list
-- has none, because it is deleted only with its campaign, which deletes the voters, too.
CREATE TABLE votant (
  tenant_id uuid NOT NULL,
  campagne_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  identifiant text COLLATE "C",
  prenom text NOT NULL,
  nom text NOT NULL,
  courriel text,
  employe_id_externe text COLLATE "C",
  syndicat_id_externe text COLLATE "C",
  employeur_identifiant_externe text COLLATE "C",
  a_droit_de_vote boolean NOT NULL,
  a_vote boolean NOT NULL DEFAULT false,
  poids numeric NOT NULL CHECK (poids > 0 AND poids <= 1000000 AND scale(poids) <= 4),
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  liste_electorale_id uuid,
  PRIMARY KEY (tenant_id, campagne_id, id_unique),
  CONSTRAINT votant_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
    REFERENCES campagne (tenant_id, id_unique) ON DELETE CASCADE,
  CONSTRAINT votant_employe_fkey FOREIGN KEY (tenant_id, employe_id_externe)
    REFERENCES employe (tenant_id, id_externe) ON DELETE SET NULL (employe_id_externe)
);
-- As for tenants and for the identifiers of employees (docs/adr/0011): plans for any campaign expect a large roll.
ALTER TABLE votant ALTER COLUMN campagne_id SET (n_distinct = 1), ALTER COLUMN identifiant SET (n_distinct = -1),
  ALTER COLUMN employe_id_externe SET (n_distinct = -1);
COMMENT ON COLUMN votant.liste_electorale_id IS 'The list that added the voter; null for voters written by hand';
CREATE UNIQUE INDEX votant_identifiant_key ON votant (tenant_id, campagne_id, identifiant)
  WHERE identifiant IS NOT NULL;
-- An employee is a voter of a campaign only once. The index also finds the campaigns of an employee.
CREATE UNIQUE INDEX votant_employe_key ON votant (tenant_id, employe_id_externe, campagne_id)
  WHERE employe_id_externe IS NOT NULL;
-- Filters with the order of the list. There is no index on a_vote, because each vote would have to update it.
CREATE INDEX votant_creation ON votant (tenant_id, campagne_id, date_creation, id_unique);
CREATE INDEX votant_syndicat ON votant (tenant_id, campagne_id, syndicat_id_externe, date_creation, id_unique);
CREATE INDEX votant_employeur ON votant (tenant_id, campagne_id, employeur_identifiant_externe, date_creation, id_unique);
CREATE INDEX votant_sans_droit ON votant (tenant_id, campagne_id, date_creation, id_unique)
  WHERE NOT a_droit_de_vote;
-- Erasures find voters without an employee by the name of the person.
CREATE INDEX votant_nom ON votant (tenant_id, lower(nom))
  WHERE employe_id_externe IS NULL;
-- Only voting sets a_vote, and such voters cannot be deleted. Their weight and right cannot change, because the roll would differ
-- from the box.
CREATE POLICY votant_ayant_vote ON votant AS RESTRICTIVE FOR DELETE TO mandat_app
  USING (NOT a_vote);
CREATE POLICY votant_vote_inchange ON votant AS RESTRICTIVE FOR UPDATE TO mandat_app
  USING (true) WITH CHECK (CASE WHEN a_vote THEN urne_vote_inchange(id_unique, campagne_id, poids, a_droit_de_vote) ELSE true END);

CREATE TABLE liste_electorale (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  campagne_id uuid NOT NULL,
  syndicats text[],
  employeurs text[],
  employes text[],
  actifs_le timestamptz(3) NOT NULL,
  poids numeric NOT NULL,
  nombre_ajoutes integer NOT NULL,
  nombre_deja_presents integer NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  jour_donne boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT liste_electorale_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
    REFERENCES campagne (tenant_id, id_unique) ON DELETE CASCADE
);
COMMENT ON COLUMN liste_electorale.jour_donne IS 'Whether the request gave actifs_le; it is the day of the request otherwise';
CREATE INDEX liste_electorale_creation ON liste_electorale (tenant_id, campagne_id, date_creation, id_unique);

-- Ballots, which no role of the processes can read (docs/adr/0014): no voter, time or sequence number, and one answer for each
-- question, in their order. Restricted: otherwise one statement could give a campaign with a closed box the identifier of another.
CREATE TABLE bulletin (
  tenant_id uuid NOT NULL,
  campagne_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT gen_random_uuid(),
  syndicat_id_externe text COLLATE "C",
  employeur_identifiant_externe text COLLATE "C",
  poids numeric NOT NULL CHECK (poids > 0),
  reponses text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, campagne_id, id_unique),
  CONSTRAINT bulletin_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
    REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE RESTRICT
);
COMMENT ON COLUMN bulletin.reponses IS 'Places of the chosen options from 0, with commas, the most wanted first; empty for an abstention';

-- Digests of receipts, separate from the ballots: they prove that a ballot is counted, and not which one.
CREATE TABLE recu (
  tenant_id uuid NOT NULL,
  campagne_id uuid NOT NULL,
  empreinte bytea NOT NULL,
  PRIMARY KEY (tenant_id, campagne_id, empreinte)
);

-- Voters of a union and employer.
CREATE TABLE participation (
  tenant_id uuid NOT NULL,
  campagne_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT gen_random_uuid(),
  syndicat_id_externe text COLLATE "C",
  employeur_identifiant_externe text COLLATE "C",
  inscrits integer NOT NULL,
  avec_droit integer NOT NULL,
  ayant_vote integer NOT NULL,
  PRIMARY KEY (tenant_id, campagne_id, id_unique),
  CONSTRAINT participation_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
    REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE
);
CREATE INDEX participation_syndicat_id_externe ON participation (tenant_id, campagne_id, syndicat_id_externe);
CREATE INDEX participation_employeur_identifiant_externe ON participation (tenant_id, campagne_id, employeur_identifiant_externe);

-- Ballots of a union and employer with the same answer to a question; of rankings, the first choice.
CREATE TABLE depouillement (
  tenant_id uuid NOT NULL,
  campagne_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT gen_random_uuid(),
  syndicat_id_externe text COLLATE "C",
  employeur_identifiant_externe text COLLATE "C",
  question integer NOT NULL,
  reponse text COLLATE "C" NOT NULL,
  bulletins bigint NOT NULL,
  poids numeric NOT NULL,
  classe integer NOT NULL,
  PRIMARY KEY (tenant_id, campagne_id, id_unique),
  CONSTRAINT depouillement_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
    REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE RESTRICT
);
COMMENT ON COLUMN depouillement.question IS 'Its place among the questions, from 0';
CREATE INDEX depouillement_syndicat_id_externe ON depouillement (tenant_id, campagne_id, syndicat_id_externe);
CREATE INDEX depouillement_employeur_identifiant_externe ON depouillement (tenant_id, campagne_id, employeur_identifiant_externe);

-- The published data belongs to the ballot box (docs/adr/0026): only the role of the box can write the questions and options, the
-- threshold of anonymity and the seeds of the draw. Ballots are checked against these questions and counted by them.
CREATE TABLE urne (
  tenant_id uuid NOT NULL,
  campagne_id uuid NOT NULL,
  graine bytea NOT NULL,
  graine_partenaire bytea CHECK (octet_length(graine_partenaire) = 32),
  empreinte_graine bytea NOT NULL GENERATED ALWAYS AS (sha256(graine)) STORED,
  empreinte_graine_partenaire bytea GENERATED ALWAYS AS (sha256(graine_partenaire)) STORED,
  PRIMARY KEY (tenant_id, campagne_id),
  CONSTRAINT urne_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
    REFERENCES campagne (tenant_id, id_unique) ON UPDATE RESTRICT ON DELETE CASCADE
);
COMMENT ON COLUMN urne.graine IS 'Breaks ties with graine_partenaire: 32 bytes of chance, 16 of publications before this table';

CREATE TABLE urne_question (
  tenant_id uuid NOT NULL,
  campagne_id uuid NOT NULL,
  place integer NOT NULL,
  question_id uuid NOT NULL,
  titre text NOT NULL,
  type text NOT NULL,
  est_preferentiel boolean NOT NULL,
  min_reponses integer NOT NULL,
  max_reponses integer NOT NULL,
  nombre_elus integer,
  nombre_options integer NOT NULL,
  PRIMARY KEY (tenant_id, campagne_id, place),
  CONSTRAINT urne_question_urne_fkey FOREIGN KEY (tenant_id, campagne_id)
    REFERENCES urne (tenant_id, campagne_id) ON UPDATE RESTRICT ON DELETE CASCADE
);
COMMENT ON COLUMN urne_question.place IS 'From 0: ballots name places';
COMMENT ON COLUMN urne_question.max_reponses IS 'The number of options where all of them may be ranked';
CREATE INDEX urne_question_question ON urne_question (tenant_id, question_id);

CREATE TABLE urne_option (
  tenant_id uuid NOT NULL,
  campagne_id uuid NOT NULL,
  question integer NOT NULL,
  place integer NOT NULL,
  option_id uuid NOT NULL,
  libelle text NOT NULL,
  PRIMARY KEY (tenant_id, campagne_id, question, place),
  CONSTRAINT urne_option_question_fkey FOREIGN KEY (tenant_id, campagne_id, question)
    REFERENCES urne_question (tenant_id, campagne_id, place) ON UPDATE RESTRICT ON DELETE CASCADE
);
COMMENT ON COLUMN urne_option.question IS 'From 0: ballots name places';
COMMENT ON COLUMN urne_option.place IS 'From 0: ballots name places';

-- Requests cannot write what is published, because voters must see the options that are counted.
CREATE POLICY question_publiee_insert ON question AS RESTRICTIVE FOR INSERT TO mandat_app
  WITH CHECK (NOT EXISTS (
    SELECT FROM urne_question u WHERE u.tenant_id = question.tenant_id AND u.campagne_id = question.campagne_id));
CREATE POLICY question_publiee_update ON question AS RESTRICTIVE FOR UPDATE TO mandat_app
  USING (NOT EXISTS (
    SELECT FROM urne_question u WHERE u.tenant_id = question.tenant_id AND u.campagne_id = question.campagne_id));
CREATE POLICY question_publiee_delete ON question AS RESTRICTIVE FOR DELETE TO mandat_app
  USING (NOT EXISTS (
    SELECT FROM urne_question u WHERE u.tenant_id = question.tenant_id AND u.campagne_id = question.campagne_id));
CREATE POLICY option_publiee_insert ON "option" AS RESTRICTIVE FOR INSERT TO mandat_app
  WITH CHECK (NOT EXISTS (
    SELECT FROM urne_question u WHERE u.tenant_id = "option".tenant_id AND u.question_id = "option".question_id));
CREATE POLICY option_publiee_update ON "option" AS RESTRICTIVE FOR UPDATE TO mandat_app
  USING (NOT EXISTS (
    SELECT FROM urne_question u WHERE u.tenant_id = "option".tenant_id AND u.question_id = "option".question_id));
CREATE POLICY option_publiee_delete ON "option" AS RESTRICTIVE FOR DELETE TO mandat_app
  USING (NOT EXISTS (
    SELECT FROM urne_question u WHERE u.tenant_id = "option".tenant_id AND u.question_id = "option".question_id));

GRANT SELECT (tenant_id, id_unique, ouverture_du_vote_utc, fermeture_du_vote_utc, publiee, ouverture_annoncee, fermeture_annoncee,
  urne_close, urne_scellee) ON campagne TO mandat_access;
GRANT DELETE, MAINTAIN ON votant TO mandat_app;
-- Only voting sets a_vote. Requests do not read the hidden columns of PostgreSQL, because they show which transaction last wrote a
-- row, and thus which ballot it wrote.
GRANT INSERT (tenant_id, campagne_id, id_unique, identifiant, prenom, nom, courriel, employe_id_externe, syndicat_id_externe,
  employeur_identifiant_externe, a_droit_de_vote, poids, date_creation, liste_electorale_id),
  SELECT (tenant_id, campagne_id, id_unique, identifiant, prenom, nom, courriel, employe_id_externe, syndicat_id_externe,
    employeur_identifiant_externe, a_droit_de_vote, a_vote, poids, date_creation, liste_electorale_id),
  UPDATE (identifiant, prenom, nom, courriel, employe_id_externe, syndicat_id_externe, employeur_identifiant_externe, a_droit_de_vote,
    poids, liste_electorale_id) ON votant TO mandat_app;
-- A role that could close the box, or change its campaign, could open it.
GRANT INSERT (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, texte_page_accueil, libelle_abstention,
  ordre_reponses_aleatoire, publiee, archivee, ouverture_annoncee, fermeture_annoncee, nombre_votants, date_creation, date_modification,
  publications),
  UPDATE (titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, texte_page_accueil, libelle_abstention, ordre_reponses_aleatoire,
    publiee, archivee, ouverture_annoncee, fermeture_annoncee, nombre_votants, date_creation, date_modification, publications,
    votants_ajoutes, votants_retires, votants_modifies) ON campagne TO mandat_app;
GRANT MAINTAIN ON bulletin, recu TO mandat_app;
GRANT SELECT ON participation, urne_question, urne_option TO mandat_app;
GRANT SELECT (tenant_id, campagne_id, empreinte) ON recu TO mandat_app;
GRANT SELECT (tenant_id, campagne_id, empreinte_graine, empreinte_graine_partenaire) ON urne TO mandat_app;
GRANT SELECT, DELETE ON campagne TO mandat_app;
GRANT SELECT, INSERT ON liste_electorale TO mandat_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON question, "option" TO mandat_app;
GRANT UPDATE (employes) ON liste_electorale TO mandat_effacement;
-- To lock the rows that it copies, the box must be allowed to update one of their columns.
GRANT SELECT ON question, "option" TO mandat_urne;
GRANT SELECT (tenant_id, campagne_id, ordre, est_preferentiel),
  UPDATE (ordre) ON question TO mandat_urne;
GRANT SELECT (tenant_id, id_unique, ouverture_du_vote_utc, fermeture_du_vote_utc, publiee, archivee, publications, urne_fermee_par,
  urne_close, urne_scellee, seuil_anonymat, raison_seuil_anonymat, urne_anomalies, urne_constat, urne_constat_date),
  UPDATE (urne_fermee_par, urne_scellee, seuil_anonymat, raison_seuil_anonymat, urne_anomalies, urne_constat, urne_constat_date) ON
    campagne TO mandat_urne;
-- Only the role of the box writes the stored counts. Counts by union and employer are not readable either.
GRANT SELECT, INSERT ON participation, depouillement TO mandat_urne;
GRANT SELECT, INSERT, DELETE ON votant, bulletin, recu, urne, urne_question, urne_option TO mandat_urne;
GRANT UPDATE (a_vote) ON votant TO mandat_urne;
GRANT UPDATE (graine_partenaire) ON urne TO mandat_urne;
GRANT UPDATE (ordre) ON "option" TO mandat_urne;
