import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';

const COUNTS = ['votants_ajoutes', 'votants_retires', 'votants_modifies'];

/** The number of changes of a campaign's roll during its vote. The statistics publish it. */
export class RollChanges1764000023000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE campagne ${COUNTS.map((name) => `ADD COLUMN ${name} integer NOT NULL DEFAULT 0`).join(', ')}`,
    );
    await runner.query(`GRANT UPDATE (${COUNTS.join(', ')}) ON campagne TO ${APP_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE campagne ${COUNTS.map((name) => `DROP COLUMN ${name}`).join(', ')}`);
  }
}
