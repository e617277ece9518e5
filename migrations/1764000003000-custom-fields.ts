import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

const TABLES = ['champ_utilisateur', 'choix_champ', 'valeur_champ_employe'];

/** Custom fields that a tenant defines, their choices, and employees' values of them. */
export class CustomFields1764000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE champ_utilisateur (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        nom text COLLATE "C" NOT NULL CHECK (char_length(nom) BETWEEN 1 AND 255),
        type text NOT NULL CHECK (type IN ('texte', 'date', 'booleen', 'choix')),
        obligatoire boolean NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique),
        CONSTRAINT champ_utilisateur_nom_key UNIQUE (tenant_id, nom),
        CONSTRAINT champ_utilisateur_type_key UNIQUE (tenant_id, nom, type)
      )`);
    await runner.query(
      `CREATE INDEX champ_utilisateur_creation ON champ_utilisateur (tenant_id, date_creation, id_unique)`,
    );
    await runner.query(`
      CREATE TABLE choix_champ (
        tenant_id uuid NOT NULL,
        nom_champ text COLLATE "C" NOT NULL,
        id_externe text COLLATE "C" NOT NULL CHECK (char_length(id_externe) BETWEEN 1 AND 255),
        libelle text NOT NULL,
        ordre integer NOT NULL,
        PRIMARY KEY (tenant_id, nom_champ, id_externe),
        CONSTRAINT choix_champ_champ_fkey FOREIGN KEY (tenant_id, nom_champ)
          REFERENCES champ_utilisateur (tenant_id, nom) ON DELETE CASCADE
      )`);
    // The type is part of the reference: the type of a field in use cannot change, even by concurrent writes.
    await runner.query(`
      CREATE TABLE valeur_champ_employe (
        tenant_id uuid NOT NULL,
        id_externe_employe text COLLATE "C" NOT NULL,
        nom_champ text COLLATE "C" NOT NULL,
        type text NOT NULL,
        valeur_texte text,
        valeur_date timestamptz(3),
        valeur_booleen boolean,
        id_externe_choix text COLLATE "C",
        PRIMARY KEY (tenant_id, id_externe_employe, nom_champ),
        CONSTRAINT valeur_champ_employe_employe_fkey FOREIGN KEY (tenant_id, id_externe_employe)
          REFERENCES employe (tenant_id, id_externe) ON DELETE CASCADE,
        CONSTRAINT valeur_champ_employe_champ_fkey FOREIGN KEY (tenant_id, nom_champ, type)
          REFERENCES champ_utilisateur (tenant_id, nom, type),
        CONSTRAINT valeur_champ_employe_choix_fkey FOREIGN KEY (tenant_id, nom_champ, id_externe_choix)
          REFERENCES choix_champ (tenant_id, nom_champ, id_externe),
        CHECK (num_nonnulls(valeur_texte, valeur_date, valeur_booleen, id_externe_choix) = 1),
        CHECK (CASE type WHEN 'texte' THEN valeur_texte IS NOT NULL WHEN 'date' THEN valeur_date IS NOT NULL
               WHEN 'booleen' THEN valeur_booleen IS NOT NULL ELSE id_externe_choix IS NOT NULL END)
      )`);
    await runner.query(
      `CREATE INDEX valeur_champ_employe_champ ON valeur_champ_employe (tenant_id, nom_champ, id_externe_choix)`,
    );
    for (const table of TABLES) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE valeur_champ_employe, choix_champ, champ_utilisateur');
  }
}
