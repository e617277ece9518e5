import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Signatures of endpoints: by a secret, or by a key pair, whose public key partners read. */
export class WebhookSignatures1764000057000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook
        ADD COLUMN signature text NOT NULL DEFAULT 'v1' CHECK (signature IN ('v1', 'v1a')),
        ADD COLUMN cle_publique text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook DROP COLUMN signature, DROP COLUMN cle_publique');
  }
}
