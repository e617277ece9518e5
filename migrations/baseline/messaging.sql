CREATE TABLE courriel (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  sujet text NOT NULL,
  corps_html text NOT NULL,
  cible text CHECK (cible IN ('tous', 'nonVotants')),
  nombre_destinataires integer NOT NULL CHECK (nombre_destinataires >= 0),
  tour integer NOT NULL DEFAULT 0,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique)
);
COMMENT ON COLUMN courriel.cible IS 'Which voters of a campaign it goes to; null where employees were named';
COMMENT ON COLUMN courriel.tour IS 'Names the one job that may take up recipients next; a job of an earlier turn does nothing';
CREATE INDEX courriel_purge ON courriel (date_creation);
-- The recipients of a day are counted from this index only.
CREATE INDEX courriel_jour ON courriel (tenant_id, date_creation) INCLUDE (nombre_destinataires);
CREATE POLICY courriel_purge ON courriel TO mandat_access
  USING (date_creation < now() - interval '30 days') WITH CHECK (false);

-- No name and no address, only the person to look up when the email is sent (docs/adr/0016). A voter is not a foreign key: the
-- sealing of a ballot box deletes and rewrites the roll, which would empty the column, and a check would write its transaction
-- beside the voter, where votes write theirs.
CREATE TABLE courriel_destinataire (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  courriel_id uuid NOT NULL,
  ordre integer NOT NULL,
  employe_id uuid,
  campagne_id uuid,
  votant_id uuid,
  etat text NOT NULL CHECK (etat IN ('EnAttente', 'EnCours', 'Envoye', 'Refuse', 'Incertain', 'SansAdresse', 'Doublon', 'Retenu')),
  code_smtp integer CHECK (code_smtp BETWEEN 400 AND 599),
  essais integer NOT NULL DEFAULT 0,
  porteur uuid,
  echeance timestamptz(3),
  date timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT courriel_destinataire_check CHECK (votant_id IS NULL OR employe_id IS NULL),
  CONSTRAINT courriel_destinataire_check1 CHECK ((campagne_id IS NULL) = (votant_id IS NULL)),
  CONSTRAINT courriel_destinataire_check2 CHECK ((etat IN ('EnAttente', 'EnCours')) = (echeance IS NOT NULL)),
  CONSTRAINT courriel_destinataire_courriel_fkey FOREIGN KEY (tenant_id, courriel_id)
    REFERENCES courriel (tenant_id, id_unique) ON DELETE CASCADE,
  CONSTRAINT courriel_destinataire_employe_fkey FOREIGN KEY (tenant_id, employe_id)
    REFERENCES employe (tenant_id, id_unique) ON DELETE SET NULL (employe_id)
);
COMMENT ON COLUMN courriel_destinataire.essais IS 'Attempts that failed: the place in the schedule of attempts';
COMMENT ON COLUMN courriel_destinataire.porteur IS 'The one attempt that was let through to the end of its message';
COMMENT ON COLUMN courriel_destinataire.echeance IS 'EnAttente: not taken up before. EnCours: its worker is gone if this passes';
-- The list, the list of one state and its count, and the next recipients to process.
CREATE INDEX courriel_destinataire_ordre ON courriel_destinataire (tenant_id, courriel_id, ordre, id_unique);
CREATE INDEX courriel_destinataire_etat ON courriel_destinataire (tenant_id, courriel_id, etat, ordre, id_unique);
CREATE INDEX courriel_destinataire_echeance ON courriel_destinataire (tenant_id, courriel_id, echeance, id_unique)
  WHERE echeance IS NOT NULL;
CREATE INDEX courriel_destinataire_employe ON courriel_destinataire (tenant_id, employe_id)
  WHERE employe_id IS NOT NULL;

GRANT DELETE ON courriel TO mandat_access;
GRANT SELECT (tenant_id, id_unique, nombre_destinataires, date_creation) ON courriel TO mandat_access;
GRANT SELECT, INSERT ON courriel, courriel_destinataire TO mandat_app;
GRANT UPDATE (etat, code_smtp, essais, porteur, echeance, date) ON courriel_destinataire TO mandat_app;
GRANT UPDATE (nombre_destinataires, tour) ON courriel TO mandat_app;
