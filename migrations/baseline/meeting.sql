CREATE TABLE seance (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  titre text NOT NULL,
  date timestamptz(3) NOT NULL,
  syndicat_id_externe text COLLATE "C",
  quorum integer CHECK (quorum >= 1),
  inscrits integer NOT NULL DEFAULT 0,
  presents integer NOT NULL DEFAULT 0 CHECK (presents >= 0),
  votants integer DEFAULT 0,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT seance_check CHECK (presents <= inscrits),
  CONSTRAINT seance_check1 CHECK (votants BETWEEN 0 AND presents),
  CONSTRAINT seance_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
    REFERENCES syndicat (tenant_id, id_externe)
);
COMMENT ON COLUMN seance.votants IS 'Null where presences were recorded without counting who has voted';
CREATE INDEX seance_creation ON seance (tenant_id, date_creation, id_unique);
CREATE INDEX seance_syndicat ON seance (tenant_id, syndicat_id_externe, date_creation, id_unique);
CREATE INDEX seance_date ON seance (tenant_id, date);

-- The verdict is stored with its numbers, because an announced verdict must not change. A weight requires votes and votes require
-- a weight. Weights are exact to four decimals.
CREATE TABLE point_seance (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  seance_id uuid NOT NULL,
  titre text NOT NULL,
  ordre integer NOT NULL CHECK (ordre >= 1),
  votable boolean NOT NULL,
  type_vote text CHECK (type_vote IN ('nominal', 'secret')),
  majorite text CHECK (majorite IN ('simple', 'absolue', 'deuxTiers')),
  pour integer CHECK (pour >= 0),
  contre integer CHECK (contre >= 0),
  abstentions integer CHECK (abstentions >= 0),
  poids_pour numeric,
  poids_contre numeric,
  poids_abstentions numeric,
  adopte boolean,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT point_seance_ordre_key UNIQUE (tenant_id, seance_id, ordre),
  CONSTRAINT point_seance_check CHECK (votable = (type_vote IS NOT NULL) AND votable = (majorite IS NOT NULL)),
  CONSTRAINT point_seance_check1 CHECK (num_nonnulls(pour, contre, abstentions, poids_pour, poids_contre, poids_abstentions, adopte) = 0
    OR num_nonnulls(pour, contre, abstentions, poids_pour, poids_contre, poids_abstentions, adopte) = CASE WHEN votable THEN 7 ELSE 0 END),
  CONSTRAINT point_seance_check2 CHECK (poids_pour BETWEEN 0 AND 10000000000 AND scale(poids_pour) <= 4 AND (poids_pour = 0) = (pour = 0)),
  CONSTRAINT point_seance_check3 CHECK (poids_contre BETWEEN 0 AND 10000000000 AND scale(poids_contre) <= 4 AND (poids_contre = 0) = (contre = 0)),
  CONSTRAINT point_seance_check4 CHECK (poids_abstentions BETWEEN 0 AND 10000000000 AND scale(poids_abstentions) <= 4 AND (poids_abstentions = 0) = (abstentions = 0)),
  CONSTRAINT point_seance_seance_fkey FOREIGN KEY (tenant_id, seance_id)
    REFERENCES seance (tenant_id, id_unique)
);

GRANT SELECT, INSERT ON seance, point_seance TO mandat_app;
GRANT UPDATE (inscrits, presents, votants) ON seance TO mandat_app;
GRANT UPDATE (pour, contre, abstentions, poids_pour, poids_contre, poids_abstentions, adopte) ON point_seance TO mandat_app;
