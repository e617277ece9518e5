import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

const TABLES = [
  'formulaire',
  'formulaire_champ',
  'formulaire_objet',
  'adhesion',
  'demande_adhesion',
  'consentement_demande',
  'signature_manuscrite',
  'paiement',
  'autorisation_paiement',
  'numero_membre',
];

/** Signed data of the member, common to cards and to requests for cards. */
const AS_SIGNED = `
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
  valeurs_champ json NOT NULL`;

/**
 * Filters of the list of cards, each with the order of the list. Any combination of union, payment and signature finds
 * its first page at once, for any distribution of cards. Cards are written once and read often.
 */
const LISTS: Readonly<Record<string, string>> = {
  date: '',
  syndicat: 'syndicat_id_externe, ',
  signature: 'a_signature_manuscrite, ',
  paiement: 'avec_paiement, ',
  signature_paiement: 'a_signature_manuscrite, avec_paiement, ',
  syndicat_signature: 'syndicat_id_externe, a_signature_manuscrite, ',
  syndicat_paiement: 'syndicat_id_externe, avec_paiement, ',
  syndicat_signature_paiement: 'syndicat_id_externe, a_signature_manuscrite, avec_paiement, ',
  employe: 'id_externe_employe, ',
  no_membre: 'no_membre, ',
};

/** Forms, signed cards with their signatures and payments, and requests that wait for conciliation. */
export class Adhesions1764000007000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createFormulaires(runner);
    await runner.query(`
      CREATE TABLE adhesion (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        id_externe_employe text COLLATE "C" NOT NULL,
        employe_id_unique uuid NOT NULL,
        ${AS_SIGNED},
        avec_paiement boolean NOT NULL DEFAULT false,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT adhesion_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
          REFERENCES employe (tenant_id, id_externe),
        CONSTRAINT adhesion_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
          REFERENCES syndicat (tenant_id, id_externe),
        CONSTRAINT adhesion_formulaire_fkey FOREIGN KEY (tenant_id, formulaire_id)
          REFERENCES formulaire (tenant_id, id_unique)
      )`);
    for (const [name, columns] of Object.entries(LISTS)) {
      await runner.query(
        `CREATE INDEX adhesion_${name} ON adhesion (tenant_id, ${columns}date_signature, id_unique)`,
      );
    }
    await runner.query(
      `CREATE INDEX adhesion_formulaire ON adhesion (tenant_id, formulaire_id) WHERE formulaire_id IS NOT NULL`,
    );
    await this.createDemandes(runner);
    await runner.query(`
      CREATE TABLE signature_manuscrite (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        adhesion_id uuid,
        demande_id uuid,
        png bytea NOT NULL,
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT signature_manuscrite_adhesion_key UNIQUE (tenant_id, adhesion_id),
        CONSTRAINT signature_manuscrite_demande_key UNIQUE (tenant_id, demande_id),
        CONSTRAINT signature_manuscrite_adhesion_fkey FOREIGN KEY (tenant_id, adhesion_id)
          REFERENCES adhesion (tenant_id, id_unique) ON DELETE CASCADE,
        CONSTRAINT signature_manuscrite_demande_fkey FOREIGN KEY (tenant_id, demande_id)
          REFERENCES demande_adhesion (tenant_id, id_unique) ON DELETE CASCADE,
        CHECK (num_nonnulls(adhesion_id, demande_id) = 1)
      )`);
    // PNG data is already compressed, so compression would only take time.
    await runner.query('ALTER TABLE signature_manuscrite ALTER COLUMN png SET STORAGE EXTERNAL');
    await this.createPayments(runner);
    await runner.query(`
      CREATE TABLE numero_membre (
        tenant_id uuid PRIMARY KEY,
        dernier bigint NOT NULL
      )`);
    await runner.query(
      `COMMENT ON TABLE numero_membre IS 'The last number given to an employee whom a conciliation made'`,
    );
    for (const table of TABLES) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    }
    await runner.query(`REVOKE UPDATE, DELETE ON paiement, autorisation_paiement FROM ${APP_ROLE}`);
    // Signed data cannot be changed by any code. Only the columns that are written later can be updated.
    await runner.query(`REVOKE UPDATE ON adhesion, signature_manuscrite, demande_adhesion FROM ${APP_ROLE}`);
    await runner.query(`GRANT UPDATE (avec_paiement) ON adhesion TO ${APP_ROLE}`);
    await runner.query(`GRANT UPDATE (adhesion_id, demande_id) ON signature_manuscrite TO ${APP_ROLE}`);
    await runner.query(
      `GRANT UPDATE (statut, date_decision, raison, id_externe_employe, adhesion_id) ON demande_adhesion TO ${APP_ROLE}`,
    );
  }

  private async createFormulaires(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query(
      `CREATE INDEX formulaire_creation ON formulaire (tenant_id, date_creation, id_unique)`,
    );
    await runner.query(`
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
      )`);
    await runner.query(`CREATE INDEX formulaire_champ_champ ON formulaire_champ (tenant_id, nom_champ)`);
    await runner.query(`
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
      )`);
    await runner.query(
      `CREATE INDEX formulaire_objet_objet ON formulaire_objet (tenant_id, id_externe_objet)`,
    );
  }

  private async createDemandes(runner: QueryRunner): Promise<void> {
    // The decision is stored with the request, because the same decision must get the same response again.
    await runner.query(`
      CREATE TABLE demande_adhesion (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        statut text NOT NULL DEFAULT 'ATransferer' CHECK (statut IN ('ATransferer', 'Confirmee', 'Rejetee')),
        employe_id_externe_envoye text,
        ${AS_SIGNED},
        valeurs_champ_v1 json NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        date_decision timestamptz(3),
        raison text,
        id_externe_employe text COLLATE "C",
        adhesion_id uuid,
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT demande_adhesion_syndicat_fkey FOREIGN KEY (tenant_id, syndicat_id_externe)
          REFERENCES syndicat (tenant_id, id_externe),
        CONSTRAINT demande_adhesion_formulaire_fkey FOREIGN KEY (tenant_id, formulaire_id)
          REFERENCES formulaire (tenant_id, id_unique),
        CONSTRAINT demande_adhesion_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
          REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
        CHECK ((statut = 'ATransferer') = (date_decision IS NULL)),
        CHECK ((statut = 'Rejetee') = (raison IS NOT NULL)),
        CHECK (CASE statut WHEN 'Confirmee' THEN num_nonnulls(id_externe_employe, adhesion_id) = 2
               ELSE num_nonnulls(id_externe_employe, adhesion_id) = 0 END)
      )`);
    await runner.query(
      `CREATE INDEX demande_adhesion_statut ON demande_adhesion (tenant_id, statut, date_creation, id_unique)`,
    );
    await runner.query(
      `CREATE INDEX demande_adhesion_employe ON demande_adhesion (tenant_id, id_externe_employe)
         WHERE id_externe_employe IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX demande_adhesion_formulaire ON demande_adhesion (tenant_id, formulaire_id)
         WHERE formulaire_id IS NOT NULL`,
    );
    await runner.query(`
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
      )`);
    await runner.query(
      `CREATE INDEX consentement_demande_objet ON consentement_demande (tenant_id, id_externe_objet)`,
    );
  }

  private async createPayments(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query(`
      CREATE TABLE autorisation_paiement (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        adhesion_id uuid NOT NULL,
        reference text NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT autorisation_paiement_adhesion_fkey FOREIGN KEY (tenant_id, adhesion_id)
          REFERENCES adhesion (tenant_id, id_unique)
      )`);
    for (const table of ['paiement', 'autorisation_paiement']) {
      await runner.query(`CREATE INDEX ${table}_adhesion ON ${table} (tenant_id, adhesion_id)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE numero_membre, autorisation_paiement, paiement, signature_manuscrite, consentement_demande,
         demande_adhesion, adhesion, formulaire_objet, formulaire_champ, formulaire`,
    );
  }
}
