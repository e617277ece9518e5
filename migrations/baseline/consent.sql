CREATE TABLE objet_consentement (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
  nom text NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT objet_consentement_id_externe_key UNIQUE (tenant_id, id_externe)
);
-- As for the identifiers of employees.
ALTER TABLE objet_consentement ALTER COLUMN id_externe SET (n_distinct = -1);
CREATE INDEX objet_consentement_creation ON objet_consentement (tenant_id, date_creation, id_unique);

-- The history of consents. Rows are only added. Those of a deleted employee are deleted by the foreign key.
CREATE TABLE consentement (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  id_externe_employe text COLLATE "C" NOT NULL,
  id_externe_objet text COLLATE "C" NOT NULL,
  accepte boolean NOT NULL,
  date_consentement timestamptz(3) NOT NULL,
  valeurs_champ json NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT consentement_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
    REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
  CONSTRAINT consentement_objet_fkey FOREIGN KEY (tenant_id, id_externe_objet)
    REFERENCES objet_consentement (tenant_id, id_externe)
);
COMMENT ON COLUMN consentement.valeurs_champ IS 'Custom values given with the consent, in V1''s flat shape';
CREATE INDEX consentement_date ON consentement (tenant_id, date_consentement, id_unique);
CREATE INDEX consentement_employe ON consentement (tenant_id, id_externe_employe, date_consentement, id_unique);
CREATE INDEX consentement_objet ON consentement (tenant_id, id_externe_objet);

GRANT SELECT, INSERT ON consentement TO mandat_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON objet_consentement TO mandat_app;
