import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';

/** What operators watch: when the audit trails were verified, how many endpoints are disabled, and which migrations are applied. */
export class Monitoring1764000055000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE verification_journal (
        date timestamptz(3) NOT NULL DEFAULT clock_timestamp() PRIMARY KEY,
        pistes integer NOT NULL,
        fautives integer NOT NULL
      )`);
    await runner.query(`COMMENT ON TABLE verification_journal IS 'Runs of verifier-journal'`);
    await runner.query(`GRANT SELECT, INSERT ON verification_journal TO ${ACCESS_ROLE}`);
    await runner.query(`GRANT SELECT ON migration TO ${ACCESS_ROLE}`);
    await runner.query(
      'CREATE INDEX webhook_desactive ON webhook (desactive_le) WHERE desactive_le IS NOT NULL',
    );
    await runner.query(
      `CREATE POLICY webhook_desactive ON webhook FOR SELECT TO ${ACCESS_ROLE} USING (desactive_le IS NOT NULL)`,
    );
    await runner.query(`GRANT SELECT (desactive_le) ON webhook TO ${ACCESS_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`REVOKE SELECT (desactive_le) ON webhook FROM ${ACCESS_ROLE}`);
    await runner.query('DROP POLICY webhook_desactive ON webhook');
    await runner.query('DROP INDEX webhook_desactive');
    await runner.query(`REVOKE SELECT ON migration FROM ${ACCESS_ROLE}`);
    await runner.query('DROP TABLE verification_journal');
  }
}
