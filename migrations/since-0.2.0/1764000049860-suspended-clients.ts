import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Suspension of clients. Data spaces have a copy, which deliveries and e-mail read. */
export class SuspendedClients1764000049860 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE client ADD COLUMN suspendu_le timestamptz(3), ADD COLUMN raison_suspension text,
         ADD COLUMN repris_le timestamptz(3), ADD CHECK ((suspendu_le IS NULL) = (raison_suspension IS NULL))`,
    );
    // Processes of the previous release do not write the columns.
    await runner.query(
      `ALTER TABLE reglage ADD COLUMN suspendu boolean NOT NULL DEFAULT false, ADD COLUMN repris_le timestamptz(3)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE reglage DROP COLUMN suspendu, DROP COLUMN repris_le');
    await runner.query(
      'ALTER TABLE client DROP COLUMN suspendu_le, DROP COLUMN raison_suspension, DROP COLUMN repris_le',
    );
  }
}
