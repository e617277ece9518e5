import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Columns in which each identifier is unique in a tenant or in a campaign. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  employe: ['id_externe'],
  employeur: ['id_externe'],
  syndicat: ['id_externe'],
  objet_consentement: ['id_externe'],
  votant: ['identifiant', 'employe_id_externe'],
};

/**
 * Plans expect one row for an identifier, even if many tenants use the same ones. If all tenants call their first
 * employee `1`, PostgreSQL would expect most employees to have any requested identifier, and read them all.
 */
export class IdentifierStatistics1764000011000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.change(runner, 'SET (n_distinct = -1)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.change(runner, 'RESET (n_distinct)');
  }

  private async change(runner: QueryRunner, change: string): Promise<void> {
    for (const [table, columns] of Object.entries(COLUMNS)) {
      for (const column of columns)
        await runner.query(`ALTER TABLE ${table} ALTER COLUMN ${column} ${change}`);
      // Older statistics use the previous setting. An empty table is better left without statistics.
      const [{ hasRows }] = (await runner.query(
        'SELECT reltuples > 0 AS "hasRows" FROM pg_class WHERE oid = $1::regclass',
        [table],
      )) as [{ hasRows: boolean }];
      if (hasRows) await runner.query(`ANALYZE ${table} (${columns.join(', ')})`);
    }
  }
}
