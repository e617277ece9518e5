CREATE TABLE client (
  id uuid PRIMARY KEY,
  nom text NOT NULL UNIQUE CHECK (char_length(nom) BETWEEN 1 AND 255),
  modules text[] NOT NULL CHECK (modules <@ ARRAY['carteMembre', 'vote', 'voteEnSeance']),
  resultats_vote_actif_visibles boolean NOT NULL DEFAULT false,
  seuil_anonymat integer NOT NULL DEFAULT 1 CHECK (seuil_anonymat >= 1),
  limite_par_minute integer CHECK (limite_par_minute >= 1),
  contact_technique text,
  cas_usage text,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  fuseau_horaire text NOT NULL DEFAULT 'America/Toronto',
  quota_courriels_par_jour integer NOT NULL DEFAULT 5000 CHECK (quota_courriels_par_jour >= 0),
  adresse_de_reponse text,
  courriels_essai text[] NOT NULL DEFAULT '{}',
  cellule text NOT NULL DEFAULT 'principal'
);

-- A data space of a client.
CREATE TABLE tenant (
  id uuid PRIMARY KEY,
  client_id uuid NOT NULL REFERENCES client (id),
  environnement text NOT NULL CHECK (environnement IN ('production', 'staging')),
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  cellule text NOT NULL DEFAULT 'principal',
  CONSTRAINT tenant_client_id_environnement_key UNIQUE (client_id, environnement)
);
CREATE INDEX tenant_cellule ON tenant (cellule);

CREATE TABLE cle (
  id uuid PRIMARY KEY,
  tenant_id uuid REFERENCES tenant (id),
  role text NOT NULL CHECK (role IN ('partenaire', 'plateforme', 'admin')),
  nom text NOT NULL CHECK (char_length(nom) BETWEEN 1 AND 255),
  prefixe text NOT NULL,
  empreinte bytea NOT NULL UNIQUE CHECK (octet_length(empreinte) = 32),
  modules text[] CHECK (modules <@ ARRAY['carteMembre', 'vote', 'voteEnSeance']),
  expire_le timestamptz(3),
  revoque_le timestamptz(3),
  dernier_usage timestamptz(3),
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  expiration_annoncee_le timestamptz(3),
  CONSTRAINT cle_check CHECK ((role = 'admin') = (tenant_id IS NULL))
);
CREATE INDEX cle_tenant ON cle (tenant_id);
CREATE INDEX cle_expiration ON cle (expire_le)
  WHERE expiration_annoncee_le IS NULL AND revoque_le IS NULL;

-- Unlogged: after a crash of the server the counts of the minute start at zero, and each count is written only once.
CREATE UNLOGGED TABLE rate_window (
  cle_id uuid NOT NULL,
  debut timestamptz NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (cle_id, debut)
);
CREATE INDEX rate_window_debut ON rate_window (debut);

-- Settings of the client that statements of a data space need. Administrators write them; tenants only read them.
CREATE TABLE reglage (
  tenant_id uuid PRIMARY KEY,
  fuseau_horaire text NOT NULL,
  resultats_vote_actif_visibles boolean NOT NULL DEFAULT false,
  seuil_anonymat integer NOT NULL DEFAULT 1 CHECK (seuil_anonymat >= 1),
  quota_courriels_par_jour integer NOT NULL DEFAULT 5000 CHECK (quota_courriels_par_jour >= 0),
  adresse_de_reponse text,
  nom text,
  environnement text,
  courriels_essai text[] NOT NULL DEFAULT '{}'
);
COMMENT ON COLUMN reglage.nom IS 'The name of the client, for the From of its letters';
CREATE POLICY reglage_administration ON reglage TO mandat_access
  USING (true) WITH CHECK (true);

-- Moves of data spaces to other cells (docs/adr/0039).
CREATE TABLE deplacement (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  cellule_origine text NOT NULL,
  cellule text NOT NULL,
  etat text NOT NULL DEFAULT 'EnAttente' CHECK (etat IN ('EnAttente', 'EnCours', 'Reussie', 'Echouee')),
  traites bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  essais integer NOT NULL DEFAULT 0,
  erreur jsonb,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  date_bascule timestamptz(3),
  date_fin timestamptz(3),
  CONSTRAINT deplacement_check CHECK (cellule <> cellule_origine),
  CONSTRAINT deplacement_check1 CHECK ((date_fin IS NOT NULL) = (etat IN ('Reussie', 'Echouee')))
);
COMMENT ON COLUMN deplacement.date_bascule IS 'When the directory began to name the new cell; null before';
CREATE INDEX deplacement_tenant ON deplacement (tenant_id, date_creation);
CREATE UNIQUE INDEX deplacement_en_cours ON deplacement (tenant_id)
  WHERE date_fin IS NULL;

GRANT SELECT, INSERT, UPDATE ON client, tenant, cle, reglage, deplacement TO mandat_access;
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_window TO mandat_access;
GRANT SELECT ON reglage TO mandat_app;
GRANT SELECT (tenant_id, seuil_anonymat) ON reglage TO mandat_urne;
