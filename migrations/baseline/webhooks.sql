CREATE TABLE webhook (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  url text NOT NULL,
  types text[] NOT NULL,
  actif boolean NOT NULL,
  description text,
  secret bytea NOT NULL,
  secret_precedent bytea,
  secret_precedent_jusqua timestamptz(3),
  echec_depuis timestamptz(3),
  dernier_echec timestamptz(3),
  desactive_le timestamptz(3),
  raison_desactivation text,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT webhook_check CHECK ((echec_depuis IS NULL) = (dernier_echec IS NULL)),
  CONSTRAINT webhook_check1 CHECK ((secret_precedent IS NULL) = (secret_precedent_jusqua IS NULL)),
  CONSTRAINT webhook_check2 CHECK ((desactive_le IS NULL) = (raison_desactivation IS NULL)),
  CONSTRAINT webhook_check3 CHECK (NOT (actif AND desactive_le IS NOT NULL))
);
CREATE INDEX webhook_creation ON webhook (tenant_id, date_creation, id_unique);

-- Deliveries are deleted with their event or their endpoint, never separately. Half of a page stays free, so attempts are written on
-- the page of the row and update no index.
CREATE TABLE livraison (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  webhook_id uuid NOT NULL,
  evenement_id uuid NOT NULL,
  etat text NOT NULL DEFAULT 'EnAttente' CHECK (etat IN ('EnAttente', 'Reussie', 'Echouee', 'Annulee')),
  essais integer NOT NULL DEFAULT 0,
  tour integer NOT NULL DEFAULT 0,
  prochaine_tentative timestamptz(3) DEFAULT now(),
  tentatives jsonb NOT NULL DEFAULT '[]',
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT livraison_evenement_key UNIQUE (tenant_id, evenement_id, webhook_id),
  CONSTRAINT livraison_check CHECK ((etat = 'EnAttente') = (prochaine_tentative IS NOT NULL)),
  CONSTRAINT livraison_evenement_fkey FOREIGN KEY (tenant_id, evenement_id)
    REFERENCES evenement (tenant_id, id_unique) ON DELETE CASCADE,
  CONSTRAINT livraison_webhook_fkey FOREIGN KEY (tenant_id, webhook_id)
    REFERENCES webhook (tenant_id, id_unique) ON DELETE CASCADE
) WITH (fillfactor = 50);
COMMENT ON COLUMN livraison.essais IS 'Attempts since it was begun or sent again: its place in the schedule';
COMMENT ON COLUMN livraison.tour IS 'Names the one job that may attempt it next; a job of an earlier turn does nothing';
CREATE INDEX livraison_webhook ON livraison (tenant_id, webhook_id, date_creation, id_unique);

GRANT SELECT, INSERT ON livraison TO mandat_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook TO mandat_app;
GRANT UPDATE (etat, essais, tour, prochaine_tentative, tentatives) ON livraison TO mandat_app;
