import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../../libs/platform/src/database/functions';

/** SQL of a member of a JSON object: the name, and the value of a text column. */
const member = (name: string, column: string): string =>
  `'"${name}":' || coalesce(JSON_SCALAR(${column})::text, 'null')`;

const members = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, column]) => member(name, column))
    .join(` || ',' || `);

const IDENTITE = {
  idExterne: 'id_externe',
  prenom: 'prenom',
  nom: 'nom',
  noMembre: 'no_membre',
  courriel: 'courriel',
};

const COORDONNEES = {
  telephonePrincipal: 'telephone_principal',
  adresse1: 'adresse1',
  ville: 'ville',
  province: 'province',
  codePostal: 'code_postal',
};

/**
 * Members of employees and employers as JSON, stored with the row. Lists read them instead of making them from the columns,
 * which took four fifths of a list's time. PostgreSQL writes them: it computes a member again when one of its columns changes.
 *
 * It rewrites both tables, and requests for employees and employers wait meanwhile: 27 s for a million.
 */
export class WireTexts1764000049900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createFunctions(runner, 'json_lecture');
    const LECTURE = `ADD json_lecture text NOT NULL
      GENERATED ALWAYS AS (json_lecture(id_unique, derniere_maj, date_creation)) STORED`;
    const stored = (column: string, columns: Readonly<Record<string, string>>): string =>
      `ADD ${column} text NOT NULL GENERATED ALWAYS AS (${members(columns)}) STORED`;
    await runner.query(
      `ALTER TABLE employe ${stored('json_identite', IDENTITE)}, ${stored('json_coordonnees', COORDONNEES)}, ${LECTURE}`,
    );
    await runner.query(
      `ALTER TABLE employeur ${stored('json_identite', { idExterne: 'id_externe', nom: 'nom' })}, ${LECTURE}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE employe DROP COLUMN json_identite, DROP COLUMN json_coordonnees, DROP COLUMN json_lecture',
    );
    await runner.query('ALTER TABLE employeur DROP COLUMN json_identite, DROP COLUMN json_lecture');
    await runner.query('DROP FUNCTION json_lecture(uuid, timestamptz, timestamptz)');
  }
}
