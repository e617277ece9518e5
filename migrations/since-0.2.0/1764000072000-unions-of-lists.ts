import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Columns by which lists are filtered, each with an index in the order of the list. */
const COLUMNS = {
  votant: ['syndicat_id_externe', 'employeur_identifiant_externe'],
  seance: ['syndicat_id_externe'],
  adhesion: ['syndicat_id_externe'],
};

/**
 * Plans for any union or employer of these lists expect a thousandth of the rows. If most rows are of one union, PostgreSQL would
 * otherwise see no use in the index, and read the whole list for another one (docs/adr/0011).
 */
export class UnionsOfLists1764000072000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(COLUMNS)) {
      const each = columns.map((column) => `ALTER COLUMN ${column} SET (n_distinct = 1000)`);
      await runner.query(`ALTER TABLE ${table} ${each.join(', ')}`);
      // Statistics of before would be used until the next ANALYZE. An empty table needs none.
      await runner.query(
        `DO $$ BEGIN
           IF (SELECT reltuples FROM pg_class WHERE oid = '${table}'::regclass) > 0 THEN
             ANALYZE ${table} (${columns.join(', ')});
           END IF;
         END $$`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(COLUMNS)) {
      const each = columns.map((column) => `ALTER COLUMN ${column} RESET (n_distinct)`);
      await runner.query(`ALTER TABLE ${table} ${each.join(', ')}`);
    }
  }
}
