-- External identifiers compare byte by byte (COLLATE "C").
CREATE TABLE employeur (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
  nom text NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT employeur_id_externe_key UNIQUE (tenant_id, id_externe)
);
CREATE INDEX employeur_creation ON employeur (tenant_id, date_creation, id_unique);
CREATE INDEX employeur_derniere_maj ON employeur (tenant_id, derniere_maj);

-- An employee references its employer by the external identifier, so reads need no join, and the foreign key itself checks
-- that the employer exists. Without rows in emploi, the employer that V1 wrote is the only employment. With rows, it is null.
CREATE TABLE employe (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
  prenom text NOT NULL,
  nom text NOT NULL,
  no_membre text,
  courriel text,
  identifiant_externe_employeur text COLLATE "C",
  telephone_principal text,
  adresse1 text,
  ville text,
  province text,
  code_postal text,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
  a_emplois boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT employe_id_externe_key UNIQUE (tenant_id, id_externe),
  CONSTRAINT employe_one_way_to_employers CHECK (NOT a_emplois OR identifiant_externe_employeur IS NULL),
  CONSTRAINT employe_employeur_fkey FOREIGN KEY (tenant_id, identifiant_externe_employeur)
    REFERENCES employeur (tenant_id, id_externe)
);
CREATE INDEX employe_creation ON employe (tenant_id, date_creation, id_unique);
CREATE INDEX employe_derniere_maj ON employe (tenant_id, derniere_maj);
-- The search for employments reads those of V1 in the order of the list, for all employers or for one.
CREATE INDEX employe_v1 ON employe (tenant_id, date_creation, id_unique)
  WHERE identifiant_externe_employeur IS NOT NULL;
CREATE INDEX employe_employeur ON employe (tenant_id, identifiant_externe_employeur, date_creation, id_unique);
-- Each V1 sync checks whether V2 has written employments of the tenant.
CREATE INDEX employe_a_emplois ON employe (tenant_id)
  WHERE a_emplois;

CREATE TABLE syndicat (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
  nom text NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT syndicat_id_externe_key UNIQUE (tenant_id, id_externe)
);
CREATE INDEX syndicat_creation ON syndicat (tenant_id, date_creation, id_unique);

CREATE TABLE syndicat_employeur (
  tenant_id uuid NOT NULL,
  id_externe_syndicat text COLLATE "C" NOT NULL,
  identifiant_externe_employeur text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, id_externe_syndicat, identifiant_externe_employeur),
  CONSTRAINT syndicat_employeur_syndicat_fkey FOREIGN KEY (tenant_id, id_externe_syndicat)
    REFERENCES syndicat (tenant_id, id_externe) ON DELETE CASCADE,
  CONSTRAINT syndicat_employeur_employeur_fkey FOREIGN KEY (tenant_id, identifiant_externe_employeur)
    REFERENCES employeur (tenant_id, id_externe) ON DELETE CASCADE
);
CREATE INDEX syndicat_employeur_employeur ON syndicat_employeur (tenant_id, identifiant_externe_employeur);

CREATE TABLE emploi (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  id_externe_employe text COLLATE "C" NOT NULL,
  identifiant_externe text COLLATE "C" NOT NULL CHECK (char_length(identifiant_externe) BETWEEN 1 AND 255),
  identifiant_externe_employeur text COLLATE "C" NOT NULL,
  matricule text COLLATE "C",
  date_debut timestamptz(3),
  date_fin timestamptz(3),
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_externe_employe, identifiant_externe),
  CONSTRAINT emploi_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
    REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
  CONSTRAINT emploi_employeur_fkey FOREIGN KEY (tenant_id, identifiant_externe_employeur)
    REFERENCES employeur (tenant_id, id_externe)
);
CREATE INDEX emploi_creation ON emploi (tenant_id, date_creation, id_unique);
CREATE INDEX emploi_employeur ON emploi (tenant_id, identifiant_externe_employeur, date_creation, id_unique);
CREATE INDEX emploi_matricule ON emploi (tenant_id, matricule);

CREATE TABLE membership (
  tenant_id uuid NOT NULL,
  id_externe_employe text COLLATE "C" NOT NULL,
  syndicat_id_externe text COLLATE "C" NOT NULL,
  date_adhesion timestamptz(3) NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  date_fin timestamptz(3),
  PRIMARY KEY (tenant_id, id_externe_employe, syndicat_id_externe),
  CONSTRAINT membership_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
    REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
  CONSTRAINT membership_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
    REFERENCES syndicat (tenant_id, id_externe)
);
CREATE INDEX membership_syndicat ON membership (tenant_id, syndicat_id_externe);

CREATE VIEW emploi_v1 WITH (security_invoker = true) AS
SELECT tenant_id, id_unique, date_creation, id_externe AS id_externe_employe, 'V1'::text COLLATE "C" AS identifiant_externe,
  identifiant_externe_employeur, NULL::text COLLATE "C" AS matricule, NULL::timestamptz(3) AS date_debut, NULL::timestamptz(3) AS date_fin
FROM employe WHERE identifiant_externe_employeur IS NOT NULL;
COMMENT ON VIEW emploi_v1 IS 'The only employment of employees whom V1 alone has written';

-- Custom fields that a tenant defines, their choices, and values of employees. The type is part of the reference: the type of a
-- field in use cannot change, even by concurrent writes.
CREATE TABLE champ_utilisateur (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  nom text COLLATE "C" NOT NULL CHECK (char_length(nom) BETWEEN 1 AND 255),
  type text NOT NULL CHECK (type IN ('texte', 'date', 'booleen', 'choix')),
  obligatoire boolean NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT champ_utilisateur_nom_key UNIQUE (tenant_id, nom),
  CONSTRAINT champ_utilisateur_type_key UNIQUE (tenant_id, nom, type)
);
CREATE INDEX champ_utilisateur_creation ON champ_utilisateur (tenant_id, date_creation, id_unique);

CREATE TABLE choix_champ (
  tenant_id uuid NOT NULL,
  nom_champ text COLLATE "C" NOT NULL,
  id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
  libelle text NOT NULL,
  ordre integer NOT NULL,
  PRIMARY KEY (tenant_id, nom_champ, id_externe),
  CONSTRAINT choix_champ_champ_fkey FOREIGN KEY (tenant_id, nom_champ)
    REFERENCES champ_utilisateur (tenant_id, nom) ON DELETE CASCADE
);

CREATE TABLE valeur_champ_employe (
  tenant_id uuid NOT NULL,
  id_externe_employe text COLLATE "C" NOT NULL,
  nom_champ text COLLATE "C" NOT NULL,
  type text NOT NULL,
  valeur_texte text,
  valeur_date timestamptz(3),
  valeur_booleen boolean,
  id_externe_choix text COLLATE "C",
  PRIMARY KEY (tenant_id, id_externe_employe, nom_champ),
  CONSTRAINT valeur_champ_employe_check CHECK (num_nonnulls(valeur_texte, valeur_date, valeur_booleen, id_externe_choix) = 1),
  CONSTRAINT valeur_champ_employe_check1 CHECK (
    CASE type WHEN 'texte' THEN valeur_texte IS NOT NULL WHEN 'date' THEN valeur_date IS NOT NULL
      WHEN 'booleen' THEN valeur_booleen IS NOT NULL ELSE id_externe_choix IS NOT NULL END),
  CONSTRAINT valeur_champ_employe_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
    REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
  CONSTRAINT valeur_champ_employe_champ_fkey FOREIGN KEY (tenant_id, nom_champ, type)
    REFERENCES champ_utilisateur (tenant_id, nom, type),
  CONSTRAINT valeur_champ_employe_choix_fkey FOREIGN KEY (tenant_id, nom_champ, id_externe_choix)
    REFERENCES choix_champ (tenant_id, nom_champ, id_externe)
);
CREATE INDEX valeur_champ_employe_champ ON valeur_champ_employe (tenant_id, nom_champ, id_externe_choix);

CREATE TABLE numero_membre (
  tenant_id uuid PRIMARY KEY,
  dernier bigint NOT NULL
);
COMMENT ON TABLE numero_membre IS 'The last number given to an employee whom a conciliation made';

-- The feed of changes to the master data (docs/adr/0034). One row of changement_lot for each transaction: publishing gives a
-- position to it and leaves its changes as they are. A month of changes is a table, which is dropped as a whole.
CREATE TABLE changement_lot (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  origine text NOT NULL CHECK (origine IN ('sync', 'api', 'plateforme')),
  sync_id uuid,
  date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  date_publication timestamptz(3),
  PRIMARY KEY (tenant_id, id_unique)
) PARTITION BY RANGE (id_unique);
CREATE INDEX changement_lot_publication ON changement_lot (tenant_id, date_publication, id_unique);
CREATE INDEX changement_lot_a_publier ON changement_lot (tenant_id, date_creation, id_unique)
  WHERE date_publication IS NULL;

CREATE TABLE changement (
  tenant_id uuid NOT NULL,
  lot uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  entite text NOT NULL,
  id_externe text COLLATE "C" NOT NULL,
  id_externe_employe text COLLATE "C",
  nature text NOT NULL CHECK (nature IN ('Cree', 'Modifie', 'Termine', 'Supprime')),
  PRIMARY KEY (tenant_id, lot, id_unique)
) PARTITION BY RANGE (lot);
-- The export and the erasure of a person look for its changes. PostgreSQL uses an index for CASE below a policy, but not for
-- coalesce, which may leak. A block range has about 1,300 rows. VACUUM summarizes it, so syncs do not pay for the index.
CREATE INDEX changement_personne ON changement USING brin
  (tenant_id, (CASE WHEN id_externe_employe IS NULL THEN id_externe ELSE id_externe_employe END) text_bloom_ops (n_distinct_per_range = 1500))
  WITH (pages_per_range = 16);

GRANT SELECT ON emploi_v1 TO mandat_app;
GRANT SELECT, INSERT ON changement_lot, changement TO mandat_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON employeur, employe, syndicat, syndicat_employeur, emploi, membership, champ_utilisateur,
  choix_champ, valeur_champ_employe, numero_membre TO mandat_app;
GRANT UPDATE (date_publication) ON changement_lot TO mandat_app;
GRANT DELETE ON changement TO mandat_effacement;

-- Plans expect one row for an identifier, even if many tenants use the same ones. If all tenants call their first employee `1`,
-- PostgreSQL would expect most employees to have any requested identifier, and read them all.
ALTER TABLE employe ALTER COLUMN id_externe SET (n_distinct = -1);
ALTER TABLE employeur ALTER COLUMN id_externe SET (n_distinct = -1);
ALTER TABLE syndicat ALTER COLUMN id_externe SET (n_distinct = -1);
