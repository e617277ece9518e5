import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

const TABLES = ['employeur', 'employe', 'objet_consentement'];

/** Employers, employees and consent objects. External identifiers compare byte by byte (COLLATE "C"). */
export class MasterData1764000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE employeur (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
        nom text NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT employeur_id_externe_key UNIQUE (tenant_id, id_externe)
      )`);
    // An employee references its employer by the external identifier, which never changes. Reads need no join, and the
    // foreign key itself checks that the employer exists.
    await runner.query(`
      CREATE TABLE employe (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
        prenom text NOT NULL,
        nom text NOT NULL,
        no_membre text,
        courriel text,
        identifiant_externe_employeur text COLLATE "C",
        telephone_principal text,
        adresse1 text,
        ville text,
        province text,
        code_postal text,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT employe_id_externe_key UNIQUE (tenant_id, id_externe),
        CONSTRAINT employe_employeur_fkey FOREIGN KEY (tenant_id, identifiant_externe_employeur)
          REFERENCES employeur (tenant_id, id_externe)
      )`);
    await runner.query(`
      CREATE TABLE objet_consentement (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
        nom text NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        derniere_maj timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT objet_consentement_id_externe_key UNIQUE (tenant_id, id_externe)
      )`);
    for (const table of ['employeur', 'employe']) {
      await runner.query(`CREATE INDEX ${table}_creation ON ${table} (tenant_id, date_creation, id_unique)`);
      await runner.query(`CREATE INDEX ${table}_derniere_maj ON ${table} (tenant_id, derniere_maj)`);
    }
    await runner.query(
      `CREATE INDEX employe_employeur ON employe (tenant_id, identifiant_externe_employeur)`,
    );
    for (const table of TABLES) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE employe, employeur, objet_consentement');
  }
}
