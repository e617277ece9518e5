import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** An audit entry can contain the objects that a bulk write changed, and the names of the fields. */
export class AuditDetail1764000024000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // json keeps the text as it was written, because the chain has a digest of it.
    await runner.query('ALTER TABLE journal ADD COLUMN detail json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE journal DROP COLUMN detail');
  }
}
