/**
 * SQL: another transaction has written the row, or this transaction before the savepoint after which it filled the stage.
 *
 * @param stage a temporary table with at least one row
 */
export function notOurs(stage: string): string {
  return `xmin <> (SELECT own.xmin FROM ${stage} own LIMIT 1)`;
}
