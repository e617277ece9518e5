import type { QueryRunner } from 'typeorm';

/**
 * Gives an index of a table other columns. Writes of the table wait while it is built. The old one is dropped last, because
 * that keeps reads waiting, too.
 */
export async function replaceIndex(
  runner: QueryRunner,
  table: string,
  name: string,
  columns: string,
): Promise<void> {
  await runner.query(`CREATE INDEX ${name}_new ON ${table} (${columns})`);
  await runner.query(`DROP INDEX ${name}`);
  await runner.query(`ALTER INDEX ${name}_new RENAME TO ${name}`);
}
