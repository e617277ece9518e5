import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE, APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

const TABLES = ['campagne', 'question', 'option', 'votant', 'liste_electorale'];

const VOTANT_COLUMNS = [
  'tenant_id',
  'campagne_id',
  'id_unique',
  'identifiant',
  'prenom',
  'nom',
  'courriel',
  'employe_id_externe',
  'syndicat_id_externe',
  'employeur_identifiant_externe',
  'a_droit_de_vote',
  'a_vote',
  'poids',
  'date_creation',
];

/** Campaigns with their questions, their roll of voters and the lists that the roll was made from. */
export class Campaigns1764000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.tellTenants(runner);
    // The state is not a column. It is computed from these facts and the time, because it must be correct at any
    // moment, with or without a worker.
    await runner.query(`
      CREATE TABLE campagne (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        titre text NOT NULL,
        titre_compare text COLLATE "C" NOT NULL
          GENERATED ALWAYS AS (normalize(casefold(normalize(titre) COLLATE pg_unicode_fast))) STORED,
        slug text COLLATE "C" NOT NULL,
        ouverture_du_vote_utc timestamptz(3) NOT NULL,
        fermeture_du_vote_utc timestamptz(3) NOT NULL,
        texte_page_accueil text,
        libelle_abstention text,
        ordre_reponses_aleatoire boolean NOT NULL,
        publiee boolean NOT NULL DEFAULT false,
        archivee boolean NOT NULL DEFAULT false,
        ouverture_annoncee boolean NOT NULL DEFAULT false,
        fermeture_annoncee boolean NOT NULL DEFAULT false,
        nombre_votants integer NOT NULL DEFAULT 0 CHECK (nombre_votants >= 0),
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        date_modification timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT campagne_titre_key UNIQUE (tenant_id, titre_compare),
        CONSTRAINT campagne_slug_key UNIQUE (tenant_id, slug),
        CHECK (ouverture_du_vote_utc <= fermeture_du_vote_utc)
      )`);
    await runner.query(
      `COMMENT ON COLUMN campagne.nombre_votants IS 'Rows of votant: kept here because lists of campaigns show it'`,
    );
    await runner.query(
      `COMMENT ON COLUMN campagne.ouverture_annoncee IS 'Whether the event of this opening has been written'`,
    );
    await runner.query(`CREATE INDEX campagne_creation ON campagne (tenant_id, date_creation, id_unique)`);
    await this.createQuestions(runner);
    await this.createRoll(runner);
    for (const table of TABLES) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    }
    await runner.query(`REVOKE UPDATE, DELETE ON liste_electorale FROM ${APP_ROLE}`);
    // Without PostgreSQL's hidden columns, because they show which transaction last wrote a row, and thus which ballot
    // it wrote.
    await runner.query(`REVOKE SELECT ON votant FROM ${APP_ROLE}`);
    await runner.query(`GRANT SELECT (${VOTANT_COLUMNS.join(', ')}) ON votant TO ${APP_ROLE}`);
    // As for tenants (docs/adr/0011): plans for any campaign expect a large roll.
    await runner.query('ALTER TABLE votant ALTER COLUMN campagne_id SET (n_distinct = 1)');
    await this.createClock(runner);
  }

  /** Settings of the client that statements of a data space need. */
  private async tellTenants(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE reglage ADD COLUMN resultats_vote_actif_visibles boolean NOT NULL DEFAULT false`,
    );
    // Forced policies also apply to the owner, who would find no rows to update unless a superuser.
    await runner.query('ALTER TABLE reglage NO FORCE ROW LEVEL SECURITY');
    await runner.query(
      `UPDATE reglage r SET resultats_vote_actif_visibles = c.resultats_vote_actif_visibles
       FROM tenant t JOIN client c ON c.id = t.client_id WHERE t.id = r.tenant_id`,
    );
    await runner.query('ALTER TABLE reglage FORCE ROW LEVEL SECURITY');
  }

  private async createQuestions(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE question (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        campagne_id uuid NOT NULL,
        ordre integer NOT NULL,
        titre text NOT NULL,
        description text,
        type text NOT NULL CHECK (type IN ('Proposition', 'ChoixLibre', 'Election')),
        est_preferentiel boolean NOT NULL,
        ordre_reponses_aleatoire integer NOT NULL CHECK (ordre_reponses_aleatoire BETWEEN 0 AND 2),
        min_reponses integer NOT NULL,
        max_reponses integer,
        nombre_elus integer,
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT question_ordre_key UNIQUE (tenant_id, campagne_id, ordre) DEFERRABLE INITIALLY DEFERRED,
        CONSTRAINT question_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON DELETE CASCADE,
        CHECK (NOT (est_preferentiel AND type = 'Proposition')),
        CHECK (min_reponses BETWEEN 1 AND coalesce(max_reponses, min_reponses)),
        CHECK ((type = 'Election') = (nombre_elus IS NOT NULL))
      )`);
    await runner.query(
      `COMMENT ON COLUMN question.max_reponses IS 'Null where all options may be ranked, however many there are'`,
    );
    await runner.query(`
      CREATE TABLE option (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        question_id uuid NOT NULL,
        ordre integer NOT NULL,
        libelle text NOT NULL,
        description text,
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT option_ordre_key UNIQUE (tenant_id, question_id, ordre) DEFERRABLE INITIALLY DEFERRED,
        CONSTRAINT option_question_fkey FOREIGN KEY (tenant_id, question_id)
          REFERENCES question (tenant_id, id_unique) ON DELETE CASCADE
      )`);
  }

  private async createRoll(runner: QueryRunner): Promise<void> {
    // Union and employer are the partner's identifiers without foreign keys, because a roll and its statistics outlive
    // both.
    await runner.query(`
      CREATE TABLE votant (
        tenant_id uuid NOT NULL,
        campagne_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        identifiant text COLLATE "C",
        prenom text NOT NULL,
        nom text NOT NULL,
        courriel text,
        employe_id_externe text COLLATE "C",
        syndicat_id_externe text COLLATE "C",
        employeur_identifiant_externe text COLLATE "C",
        a_droit_de_vote boolean NOT NULL,
        a_vote boolean NOT NULL DEFAULT false,
        poids numeric NOT NULL CHECK (poids > 0 AND poids <= 1000000 AND scale(poids) <= 4),
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, campagne_id, id_unique),
        CONSTRAINT votant_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON DELETE CASCADE,
        CONSTRAINT votant_employe_fkey FOREIGN KEY (tenant_id, employe_id_externe)
          REFERENCES employe (tenant_id, id_externe) ON DELETE SET NULL (employe_id_externe)
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX votant_identifiant_key ON votant (tenant_id, campagne_id, identifiant)
         WHERE identifiant IS NOT NULL`,
    );
    // An employee is a voter of a campaign only once. The index also finds the campaigns of an employee.
    await runner.query(
      `CREATE UNIQUE INDEX votant_employe_key ON votant (tenant_id, employe_id_externe, campagne_id)
         WHERE employe_id_externe IS NOT NULL`,
    );
    // Filters with the order of the list. There is no index on a_vote, because each vote would have to update it.
    const lists = {
      creation: '',
      syndicat: 'syndicat_id_externe, ',
      employeur: 'employeur_identifiant_externe, ',
    };
    for (const [name, columns] of Object.entries(lists)) {
      await runner.query(
        `CREATE INDEX votant_${name} ON votant (tenant_id, campagne_id, ${columns}date_creation, id_unique)`,
      );
    }
    await runner.query(
      `CREATE INDEX votant_sans_droit ON votant (tenant_id, campagne_id, date_creation, id_unique)
         WHERE NOT a_droit_de_vote`,
    );
    await runner.query(`
      CREATE TABLE liste_electorale (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        campagne_id uuid NOT NULL,
        syndicats text[],
        employeurs text[],
        employes text[],
        actifs_le timestamptz(3) NOT NULL,
        poids numeric NOT NULL,
        nombre_ajoutes integer NOT NULL,
        nombre_deja_presents integer NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT liste_electorale_campagne_fkey FOREIGN KEY (tenant_id, campagne_id)
          REFERENCES campagne (tenant_id, id_unique) ON DELETE CASCADE
      )`);
    await runner.query(
      `CREATE INDEX liste_electorale_creation ON liste_electorale (tenant_id, campagne_id, date_creation, id_unique)`,
    );
  }

  /** The scheduler reads openings and closings without an event in all tenants, and no other rows. */
  private async createClock(runner: QueryRunner): Promise<void> {
    const due = {
      ouverture: 'publiee AND NOT ouverture_annoncee',
      fermeture: 'publiee AND NOT fermeture_annoncee',
    };
    for (const [what, condition] of Object.entries(due)) {
      await runner.query(
        `CREATE INDEX campagne_${what}_due ON campagne (${what}_du_vote_utc) WHERE ${condition}`,
      );
      await runner.query(
        `CREATE POLICY campagne_${what}_due ON campagne FOR SELECT TO ${ACCESS_ROLE}
           USING (${condition} AND ${what}_du_vote_utc <= now())`,
      );
    }
    await runner.query(
      `GRANT SELECT (tenant_id, id_unique, publiee, ouverture_annoncee, fermeture_annoncee, ouverture_du_vote_utc,
         fermeture_du_vote_utc) ON campagne TO ${ACCESS_ROLE}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE liste_electorale, votant, option, question, campagne');
    await runner.query('ALTER TABLE reglage DROP COLUMN resultats_vote_actif_visibles');
  }
}
