import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Plans for any tenant no longer expect a row of each where most tenants have one: what `secureTenantTable` now does. */
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

  /** Tables under row-level security, and whether they have statistics that go by the setting from before. */
  private async tables(runner: QueryRunner): Promise<{ table: string; hasRows: boolean }[]> {
    return (await runner.query(
      `SELECT c.oid::regclass::text AS table, reltuples > 0 AS "hasRows"
       FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attname = 'tenant_id' AND NOT attisdropped
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relforcerowsecurity ORDER BY relname`,
    )) as { table: string; hasRows: boolean }[];
  }
}
