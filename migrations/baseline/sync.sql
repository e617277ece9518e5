-- Tasks of partners for the worker. Compressing a body of 64 MB takes longer than writing it.
CREATE TABLE tache (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  type text NOT NULL CHECK (type = 'sync'),
  etat text NOT NULL CHECK (etat IN ('EnAttente', 'EnCours', 'Reussie', 'Echouee')),
  traites integer NOT NULL DEFAULT 0,
  total integer NOT NULL,
  simulation boolean NOT NULL,
  corps bytea STORAGE EXTERNAL,
  resultat json,
  erreur json,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  date_fin timestamptz(3),
  effets json,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT tache_check CHECK ((etat IN ('EnAttente', 'EnCours')) = (corps IS NOT NULL)),
  CONSTRAINT tache_check1 CHECK ((etat IN ('EnAttente', 'EnCours')) = (date_fin IS NULL))
);
CREATE INDEX tache_unfinished ON tache (tenant_id)
  WHERE date_fin IS NULL;
CREATE INDEX tache_date_fin ON tache (date_fin);
CREATE POLICY tache_purge ON tache TO mandat_access
  USING (date_fin < now() - interval '7 days') WITH CHECK (false);

GRANT DELETE ON tache TO mandat_access;
GRANT SELECT (tenant_id, id_unique, date_fin) ON tache TO mandat_access;
GRANT SELECT, INSERT, UPDATE, DELETE ON tache TO mandat_app;
