import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { ACCESS_ROLE } from '../../libs/platform/src/database/roles';
import { secureTenantTable } from '../../libs/platform/src/database/tenant-table';

/** Certifications of receivers. They stay when their endpoint is deleted, because they count against the day. */
export class Certifications1764000058000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE certification (
        tenant_id uuid NOT NULL,
        id_unique uuid NOT NULL DEFAULT uuidv7(),
        webhook_id uuid NOT NULL,
        graine bytea NOT NULL,
        requetes integer NOT NULL DEFAULT 0 CHECK (requetes <= 60),
        observations jsonb NOT NULL DEFAULT '[]',
        traites text[],
        raison text,
        date_creation timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        date_fin timestamptz(3),
        PRIMARY KEY (tenant_id, id_unique)
      )`);
    await runner.query(
      `COMMENT ON COLUMN certification.graine IS 'Its events and their proofs are made from it'`,
    );
    await runner.query(`COMMENT ON COLUMN certification.raison IS 'Why it ended before its last scenario'`);
    await runner.query('CREATE INDEX certification_creation ON certification (tenant_id, date_creation)');
    await runner.query(
      'CREATE INDEX certification_webhook ON certification (tenant_id, webhook_id, date_creation)',
    );
    await runner.query(
      `CREATE UNIQUE INDEX certification_en_cours ON certification (tenant_id, webhook_id) WHERE date_fin IS NULL`,
    );
    await runner.query(
      'CREATE INDEX certification_due ON certification (date_creation) WHERE date_fin IS NULL',
    );
    for (const statement of secureTenantTable('certification')) await runner.query(statement);
    await runner.query(
      `CREATE POLICY certification_due ON certification FOR SELECT TO ${ACCESS_ROLE} USING (date_fin IS NULL)`,
    );
    await runner.query(
      `CREATE POLICY certification_purge ON certification TO ${ACCESS_ROLE}
       USING (date_creation < now() - interval '30 days') WITH CHECK (false)`,
    );
    await runner.query(
      `GRANT DELETE, SELECT (tenant_id, id_unique, date_creation, date_fin) ON certification TO ${ACCESS_ROLE}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE certification');
  }
}
