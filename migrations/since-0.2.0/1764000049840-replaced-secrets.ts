import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Every replaced secret of an endpoint signs for its 24 hours: those before the previous one, and their ends. */
export class ReplacedSecrets1764000049840 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook
        ADD COLUMN secrets_anciens bytea[] NOT NULL DEFAULT '{}',
        ADD COLUMN secrets_anciens_jusqua timestamptz(3)[] NOT NULL DEFAULT '{}',
        ADD CONSTRAINT webhook_secrets_anciens CHECK (
          cardinality(secrets_anciens) <= 4 AND cardinality(secrets_anciens) = cardinality(secrets_anciens_jusqua)
        )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook DROP COLUMN secrets_anciens, DROP COLUMN secrets_anciens_jusqua');
  }
}
