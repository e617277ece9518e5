import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The brake of clients that have none. */
const NO_FREINS = JSON.stringify({
  terminaisonsPourcent: null,
  champsVidesPourcent: null,
  minimum: 1,
  jamaisSupprimer: false,
});

const TABLES = ['client', 'reglage'];

/** The brakes of clients. A migration of its own, so requests do not wait for settings while it waits for other tables. */
export class Brakes1764000050100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`ALTER TABLE ${table} ADD COLUMN freins json NOT NULL DEFAULT '${NO_FREINS}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} DROP COLUMN freins`);
  }
}
