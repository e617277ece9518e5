import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { APP_ROLE } from '../libs/platform/src/database/roles';
import { secureTenantTable } from '../libs/platform/src/database/tenant-table';

/**
 * The audit trail becomes a chain of digests for each space (docs/adr/0017). Earlier entries are not part of it; a
 * verification reports them.
 */
export class JournalChain1764000017000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE journal
        ADD COLUMN numero bigint,
        ADD COLUMN empreinte bytea,
        ADD CONSTRAINT journal_numero_key UNIQUE (tenant_id, numero),
        ADD CONSTRAINT journal_chained CHECK (numero IS NOT NULL AND numero BETWEEN 1 AND 9007199254740991 AND empreinte IS NOT NULL) NOT VALID`);
    await runner.query(
      `CREATE INDEX journal_objet ON journal (tenant_id, objet_id, date_creation, id_unique)`,
    );
    await runner.query(`
      CREATE TABLE journal_tete (
        tenant_id uuid NOT NULL,
        numero bigint NOT NULL,
        empreinte bytea NOT NULL,
        sceau bytea NOT NULL,
        PRIMARY KEY (tenant_id)
      )`);
    await runner.query(
      `COMMENT ON TABLE journal_tete IS 'Where the chain of each space ends; who writes an entry holds the row'`,
    );
    for (const statement of secureTenantTable('journal_tete')) await runner.query(statement);
    await runner.query(`REVOKE UPDATE, DELETE ON journal_tete FROM ${APP_ROLE}`);
    await runner.query(`GRANT UPDATE (numero, empreinte, sceau) ON journal_tete TO ${APP_ROLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal_tete');
    await runner.query('DROP INDEX journal_objet');
    await runner.query('ALTER TABLE journal DROP COLUMN numero, DROP COLUMN empreinte');
  }
}
