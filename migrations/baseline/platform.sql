CREATE TABLE idempotency_record (
  tenant_id uuid NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  status integer NOT NULL,
  headers jsonb NOT NULL,
  sealed_body bytea NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, idempotency_key)
);
CREATE INDEX idempotency_record_date_creation ON idempotency_record (date_creation);
-- Only the worker's purges cross tenants, and they can access only expired rows.
CREATE POLICY idempotency_record_purge ON idempotency_record TO mandat_access
  USING (date_creation < now() - interval '24 hours') WITH CHECK (false);

-- Events for subscribers. Rows are only added. The data is the text that is sent: json keeps it unchanged, jsonb does not.
-- The time is that of writing, not of the beginning of its transaction: one that waited for a lock writes its events later.
CREATE TABLE evenement (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  type text NOT NULL,
  data json NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  date_publication timestamptz(3),
  PRIMARY KEY (tenant_id, id_unique)
);
COMMENT ON COLUMN evenement.date_publication IS 'Its place in the feed; null until the feed is read after its commit';
CREATE INDEX evenement_creation ON evenement (tenant_id, date_creation, id_unique);
CREATE INDEX evenement_publication ON evenement (tenant_id, date_publication, id_unique);
CREATE INDEX evenement_type_publication ON evenement (tenant_id, type, date_publication, id_unique);
CREATE INDEX evenement_a_publier ON evenement (tenant_id, date_creation, id_unique)
  WHERE date_publication IS NULL;
CREATE INDEX evenement_purge ON evenement (date_creation);
CREATE POLICY evenement_purge ON evenement TO mandat_access
  USING (date_creation < now() - interval '30 days') WITH CHECK (false);

-- The audit trail: a chain of digests for each space (docs/adr/0017). Entries of before the chain are not part of it.
-- json keeps the text as it was written, because the chain has a digest of it.
CREATE TABLE journal (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  cle_id uuid NOT NULL,
  action text NOT NULL,
  objet_id uuid NOT NULL,
  requete_id text NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  numero bigint,
  empreinte bytea,
  detail json,
  cle_secrets text,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT journal_numero_key UNIQUE (tenant_id, numero)
);
ALTER TABLE journal ADD CONSTRAINT journal_chained
  CHECK (numero IS NOT NULL AND numero BETWEEN 1 AND 9007199254740991 AND empreinte IS NOT NULL) NOT VALID;
COMMENT ON COLUMN journal.cle_secrets IS 'Id of the key of SECRETS_KEY that proves the row; null if the key had no id';
CREATE INDEX journal_creation ON journal (tenant_id, date_creation, id_unique);
CREATE INDEX journal_objet ON journal (tenant_id, objet_id, date_creation, id_unique);

CREATE TABLE journal_tete (
  tenant_id uuid PRIMARY KEY,
  numero bigint NOT NULL,
  empreinte bytea NOT NULL,
  sceau bytea NOT NULL,
  cle_secrets text
);
COMMENT ON TABLE journal_tete IS 'Where the chain of each space ends; who writes an entry holds the row';
COMMENT ON COLUMN journal_tete.cle_secrets IS 'Id of the key of SECRETS_KEY that proves the row; null if the key had no id';

GRANT DELETE ON evenement TO mandat_access;
GRANT SELECT (tenant_id, id_unique, date_creation) ON evenement TO mandat_access;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_record TO mandat_access;
GRANT SELECT, INSERT ON evenement, journal, journal_tete TO mandat_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_record TO mandat_app;
GRANT UPDATE (date_publication) ON evenement TO mandat_app;
GRANT UPDATE (numero, empreinte, sceau, cle_secrets) ON journal_tete TO mandat_app;
GRANT DELETE ON evenement TO mandat_effacement;
