-- Notes about employees whom a partner deleted: an administrator can export and erase them later (docs/adr/0018).
CREATE TABLE ancien_employe (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  id_externe text COLLATE "C" NOT NULL,
  employes uuid[] NOT NULL,
  lignes jsonb NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique)
);
COMMENT ON COLUMN ancien_employe.employes IS 'The ids that the employee had, of each time that it was created';
COMMENT ON COLUMN ancien_employe.lignes IS 'Ids of voters and requests that were the person, by their kind';
CREATE INDEX ancien_employe_id_externe ON ancien_employe (tenant_id, id_externe, id_unique);

GRANT SELECT, INSERT, UPDATE, DELETE ON ancien_employe TO mandat_app;
