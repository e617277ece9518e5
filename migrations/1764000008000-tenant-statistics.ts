import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Corrects plans for any tenant that expect one row of each because most tenants have one, as `secureTenantTable` now
 * does.
 */
export class TenantStatistics1764000008000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const { table, hasRows } of await this.tables(runner)) {
      await runner.query(`ALTER TABLE ${table} ALTER COLUMN tenant_id SET (n_distinct = 1)`);
      if (hasRows) await runner.query(`ANALYZE ${table} (tenant_id)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { table, hasRows } of await this.tables(runner)) {
      await runner.query(`ALTER TABLE ${table} ALTER COLUMN tenant_id RESET (n_distinct)`);
      if (hasRows) await runner.query(`ANALYZE ${table} (tenant_id)`);
    }
  }

  /** Tables under row-level security, and whether their statistics are older than the setting. */
  private async tables(runner: QueryRunner): Promise<{ table: string; hasRows: boolean }[]> {
    return (await runner.query(
      `SELECT c.oid::regclass::text AS table, reltuples > 0 AS "hasRows"
       FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attname = 'tenant_id' AND NOT attisdropped
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relforcerowsecurity ORDER BY relname`,
    )) as { table: string; hasRows: boolean }[];
  }
}
