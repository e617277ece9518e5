import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

const TABLES = ['evenement', 'journal'];

/** Events for subscribers, and the audit trail. Rows are only added. */
export class EventsAudit1764000005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The data is stored as the text that is sent: json keeps it unchanged, jsonb does not.
    await runner.query(`
      CREATE TABLE evenement (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        type text NOT NULL,
        data json NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, id_unique)
      )`);
    await runner.query(`CREATE INDEX evenement_creation ON evenement (tenant_id, date_creation, id_unique)`);
    await runner.query(`
      CREATE TABLE journal (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        cle_id uuid NOT NULL,
        action text NOT NULL,
        objet_id uuid NOT NULL,
        requete_id text NOT NULL,
        date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant_id, id_unique)
      )`);
    await runner.query(`CREATE INDEX journal_creation ON journal (tenant_id, date_creation, id_unique)`);
    for (const table of TABLES) {
      for (const statement of secureTenantTable(table)) await runner.query(statement);
      await runner.query(`REVOKE UPDATE, DELETE ON ${table} FROM ${APP_ROLE}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal, evenement');
  }
}
