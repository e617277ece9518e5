import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Columns that hold each identifier once in a tenant, or in a campaign. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  employe: ['id_externe'],
  employeur: ['id_externe'],
  syndicat: ['id_externe'],
  objet_consentement: ['id_externe'],
  votant: ['identifiant', 'employe_id_externe'],
};

/**
 * Plans expect one row of an identifier also where many tenants use the same ones: where all call their first employee
 * `1`, PostgreSQL would believe that most employees have whatever identifier is asked for, and read them all.
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
      // What was noted before goes by the setting from before. Of an empty table it is better to note nothing.
      const [{ hasRows }] = (await runner.query(
        'SELECT reltuples > 0 AS "hasRows" FROM pg_class WHERE oid = $1::regclass',
        [table],
      )) as [{ hasRows: boolean }];
      if (hasRows) await runner.query(`ANALYZE ${table} (${columns.join(', ')})`);
    }
  }
}
