CREATE TABLE formulaire (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  titre text NOT NULL,
  syndicat_id_externe text COLLATE "C" NOT NULL,
  actif boolean NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT formulaire_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
    REFERENCES syndicat (tenant_id, id_externe)
);
CREATE INDEX formulaire_creation ON formulaire (tenant_id, date_creation, id_unique);

CREATE TABLE formulaire_champ (
  tenant_id uuid NOT NULL,
  formulaire_id uuid NOT NULL,
  nom_champ text COLLATE "C" NOT NULL,
  ordre integer NOT NULL,
  PRIMARY KEY (tenant_id, formulaire_id, nom_champ),
  CONSTRAINT formulaire_champ_formulaire_fkey FOREIGN KEY (tenant_id, formulaire_id)
    REFERENCES formulaire (tenant_id, id_unique) ON DELETE CASCADE,
  CONSTRAINT formulaire_champ_champ_fkey FOREIGN KEY (tenant_id, nom_champ)
    REFERENCES champ_utilisateur (tenant_id, nom)
);
CREATE INDEX formulaire_champ_champ ON formulaire_champ (tenant_id, nom_champ);

CREATE TABLE formulaire_objet (
  tenant_id uuid NOT NULL,
  formulaire_id uuid NOT NULL,
  id_externe_objet text COLLATE "C" NOT NULL,
  ordre integer NOT NULL,
  PRIMARY KEY (tenant_id, formulaire_id, id_externe_objet),
  CONSTRAINT formulaire_objet_formulaire_fkey FOREIGN KEY (tenant_id, formulaire_id)
    REFERENCES formulaire (tenant_id, id_unique) ON DELETE CASCADE,
  CONSTRAINT formulaire_objet_objet_fkey FOREIGN KEY (tenant_id, id_externe_objet)
    REFERENCES objet_consentement (tenant_id, id_externe)
);
CREATE INDEX formulaire_objet_objet ON formulaire_objet (tenant_id, id_externe_objet);

CREATE TABLE adhesion (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  id_externe_employe text COLLATE "C" NOT NULL,
  employe_id_unique uuid NOT NULL,
  syndicat_id_externe text COLLATE "C" NOT NULL,
  prenom text NOT NULL,
  nom text NOT NULL,
  courriel text NOT NULL,
  telephone_principal text,
  adresse1 text,
  ville text,
  province text,
  code_postal text,
  no_membre text COLLATE "C",
  date_signature timestamptz(3) NOT NULL,
  transaction_id text,
  a_signature_manuscrite boolean NOT NULL,
  formulaire_id uuid,
  valeurs_champ json NOT NULL,
  avec_paiement boolean NOT NULL DEFAULT false,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT adhesion_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
    REFERENCES employe (tenant_id, id_externe),
  CONSTRAINT adhesion_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
    REFERENCES syndicat (tenant_id, id_externe),
  CONSTRAINT adhesion_formulaire_fkey FOREIGN KEY (tenant_id, formulaire_id)
    REFERENCES formulaire (tenant_id, id_unique)
);
-- Filters of the list of cards, each with the order of the list. Any combination of union, payment and signature finds its first
-- page at once, for any distribution of cards. Cards are written once and read often.
CREATE INDEX adhesion_date ON adhesion (tenant_id, date_signature, id_unique);
CREATE INDEX adhesion_syndicat ON adhesion (tenant_id, syndicat_id_externe, date_signature, id_unique);
CREATE INDEX adhesion_signature ON adhesion (tenant_id, a_signature_manuscrite, date_signature, id_unique);
CREATE INDEX adhesion_paiement ON adhesion (tenant_id, avec_paiement, date_signature, id_unique);
CREATE INDEX adhesion_signature_paiement ON adhesion (tenant_id, a_signature_manuscrite, avec_paiement, date_signature, id_unique);
CREATE INDEX adhesion_syndicat_signature ON adhesion (tenant_id, syndicat_id_externe, a_signature_manuscrite, date_signature, id_unique);
CREATE INDEX adhesion_syndicat_paiement ON adhesion (tenant_id, syndicat_id_externe, avec_paiement, date_signature, id_unique);
CREATE INDEX adhesion_syndicat_signature_paiement ON adhesion (tenant_id, syndicat_id_externe, a_signature_manuscrite, avec_paiement,
  date_signature, id_unique);
CREATE INDEX adhesion_employe ON adhesion (tenant_id, id_externe_employe, date_signature, id_unique);
CREATE INDEX adhesion_no_membre ON adhesion (tenant_id, no_membre, date_signature, id_unique);
CREATE INDEX adhesion_formulaire ON adhesion (tenant_id, formulaire_id)
  WHERE formulaire_id IS NOT NULL;

-- Requests that wait for conciliation. The decision is stored with the request, because the same decision must get the same
-- response again.
CREATE TABLE demande_adhesion (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  statut text NOT NULL DEFAULT 'ATransferer' CHECK (statut IN ('ATransferer', 'Confirmee', 'Rejetee')),
  employe_id_externe_envoye text,
  syndicat_id_externe text COLLATE "C" NOT NULL,
  prenom text NOT NULL,
  nom text NOT NULL,
  courriel text NOT NULL,
  telephone_principal text,
  adresse1 text,
  ville text,
  province text,
  code_postal text,
  no_membre text COLLATE "C",
  date_signature timestamptz(3) NOT NULL,
  transaction_id text,
  a_signature_manuscrite boolean NOT NULL,
  formulaire_id uuid,
  valeurs_champ json NOT NULL,
  valeurs_champ_v1 json NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  date_decision timestamptz(3),
  raison text,
  id_externe_employe text COLLATE "C",
  adhesion_id uuid,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT demande_adhesion_check CHECK ((statut = 'ATransferer') = (date_decision IS NULL)),
  CONSTRAINT demande_adhesion_check1 CHECK ((statut = 'Rejetee') = (raison IS NOT NULL)),
  CONSTRAINT demande_adhesion_check2 CHECK (
    CASE statut WHEN 'Confirmee' THEN num_nonnulls(id_externe_employe, adhesion_id) = 2
      ELSE num_nonnulls(id_externe_employe, adhesion_id) = 0 END),
  CONSTRAINT demande_adhesion_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
    REFERENCES syndicat (tenant_id, id_externe),
  CONSTRAINT demande_adhesion_formulaire_fkey FOREIGN KEY (tenant_id, formulaire_id)
    REFERENCES formulaire (tenant_id, id_unique),
  CONSTRAINT demande_adhesion_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
    REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE
);
CREATE INDEX demande_adhesion_statut ON demande_adhesion (tenant_id, statut, date_creation, id_unique);
CREATE INDEX demande_adhesion_employe ON demande_adhesion (tenant_id, id_externe_employe)
  WHERE id_externe_employe IS NOT NULL;
CREATE INDEX demande_adhesion_formulaire ON demande_adhesion (tenant_id, formulaire_id)
  WHERE formulaire_id IS NOT NULL;
-- Requests without an employee, and those of them that were sent with an identifier.
CREATE INDEX demande_adhesion_sans_employe ON demande_adhesion (tenant_id, employe_id_externe_envoye)
  WHERE id_externe_employe IS NULL;

CREATE TABLE consentement_demande (
  tenant_id uuid NOT NULL,
  demande_id uuid NOT NULL,
  id_externe_objet text COLLATE "C" NOT NULL,
  accepte boolean NOT NULL,
  PRIMARY KEY (tenant_id, demande_id, id_externe_objet),
  CONSTRAINT consentement_demande_demande_fkey FOREIGN KEY (tenant_id, demande_id)
    REFERENCES demande_adhesion (tenant_id, id_unique) ON DELETE CASCADE,
  CONSTRAINT consentement_demande_objet_fkey FOREIGN KEY (tenant_id, id_externe_objet)
    REFERENCES objet_consentement (tenant_id, id_externe)
);
CREATE INDEX consentement_demande_objet ON consentement_demande (tenant_id, id_externe_objet);

CREATE TABLE signature_manuscrite (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  adhesion_id uuid,
  demande_id uuid,
  -- PNG data is already compressed, so compression would only take time.
  png bytea STORAGE EXTERNAL NOT NULL,
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT signature_manuscrite_adhesion_key UNIQUE (tenant_id, adhesion_id),
  CONSTRAINT signature_manuscrite_demande_key UNIQUE (tenant_id, demande_id),
  CONSTRAINT signature_manuscrite_check CHECK (num_nonnulls(adhesion_id, demande_id) = 1),
  CONSTRAINT signature_manuscrite_adhesion_fkey FOREIGN KEY (tenant_id, adhesion_id)
    REFERENCES adhesion (tenant_id, id_unique) ON DELETE CASCADE,
  CONSTRAINT signature_manuscrite_demande_fkey FOREIGN KEY (tenant_id, demande_id)
    REFERENCES demande_adhesion (tenant_id, id_unique) ON DELETE CASCADE
);

CREATE TABLE paiement (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  adhesion_id uuid NOT NULL,
  montant numeric NOT NULL CHECK (montant > 0),
  devise text NOT NULL,
  reference text NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT paiement_adhesion_fkey FOREIGN KEY (tenant_id, adhesion_id)
    REFERENCES adhesion (tenant_id, id_unique)
);
CREATE INDEX paiement_adhesion ON paiement (tenant_id, adhesion_id);

CREATE TABLE autorisation_paiement (
  tenant_id uuid NOT NULL,
  id_unique uuid NOT NULL DEFAULT uuidv7(),
  adhesion_id uuid NOT NULL,
  reference text NOT NULL,
  date_creation timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id_unique),
  CONSTRAINT autorisation_paiement_adhesion_fkey FOREIGN KEY (tenant_id, adhesion_id)
    REFERENCES adhesion (tenant_id, id_unique)
);
CREATE INDEX autorisation_paiement_adhesion ON autorisation_paiement (tenant_id, adhesion_id);

-- Signed data cannot be changed by any code. Only the columns that are written later can be updated.
GRANT SELECT, INSERT ON paiement, autorisation_paiement TO mandat_app;
GRANT SELECT, INSERT, DELETE ON adhesion, demande_adhesion, signature_manuscrite TO mandat_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON formulaire, formulaire_champ, formulaire_objet, consentement_demande TO mandat_app;
GRANT UPDATE (adhesion_id, demande_id) ON signature_manuscrite TO mandat_app;
GRANT UPDATE (avec_paiement) ON adhesion TO mandat_app;
GRANT UPDATE (statut, date_decision, raison, id_externe_employe, adhesion_id) ON demande_adhesion TO mandat_app;
GRANT DELETE ON paiement, autorisation_paiement TO mandat_effacement;
GRANT UPDATE (employe_id_externe_envoye) ON demande_adhesion TO mandat_effacement;
