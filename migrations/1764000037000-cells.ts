import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../libs/platform/src/database/roles';

/** The cell of each data space, and the one that the next data space of a client gets (docs/adr/0036). */
export class Cells1764000037000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['client', 'tenant'])
      await runner.query(`ALTER TABLE ${table} ADD COLUMN cellule text NOT NULL DEFAULT 'principal'`);
    await runner.query(`CREATE INDEX tenant_cellule ON tenant (cellule)`);
    // The state of a cell includes its size.
    await runner.query(`GRANT EXECUTE ON FUNCTION pg_database_size(name) TO ${ACCESS_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['client', 'tenant']) await runner.query(`ALTER TABLE ${table} DROP COLUMN cellule`);
  }
}
