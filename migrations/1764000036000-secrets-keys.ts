import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';

/** Audit entries name the key of SECRETS_KEY that proves them, and the end of an API key is announced once (docs/adr/0037). */
export class SecretsKeys1764000036000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['journal', 'journal_tete']) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN cle_secrets text`);
      await runner.query(
        `COMMENT ON COLUMN ${table}.cle_secrets IS 'Id of the key of SECRETS_KEY that proves the row; null if the key had no id'`,
      );
    }
    await runner.query(`GRANT UPDATE (cle_secrets) ON journal_tete TO ${APP_ROLE}`);
    await runner.query('ALTER TABLE cle ADD COLUMN expiration_annoncee_le timestamptz(3)');
    await runner.query(
      `CREATE INDEX cle_expiration ON cle (expire_le) WHERE expiration_annoncee_le IS NULL AND revoque_le IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE cle DROP COLUMN expiration_annoncee_le');
    await runner.query('ALTER TABLE journal_tete DROP COLUMN cle_secrets');
    await runner.query('ALTER TABLE journal DROP COLUMN cle_secrets');
  }
}
