import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Erasure of clients: the row of an erased one stays, because its audit trail stays. */
export class ErasedClients1764000049870 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE client ADD COLUMN suppression_demandee_le timestamptz(3), ADD COLUMN efface_le timestamptz(3),
         ADD CHECK (suppression_demandee_le IS NULL OR suspendu_le IS NOT NULL),
         ADD CHECK (efface_le IS NULL OR suppression_demandee_le IS NOT NULL)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE client DROP COLUMN efface_le, DROP COLUMN suppression_demandee_le');
  }
}
