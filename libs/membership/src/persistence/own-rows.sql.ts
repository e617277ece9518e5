/**
 * SQL of whether a row has not been written by the work under way: this transaction, or what of it follows the savepoint
 * under which it filled the stage.
 *
 * @param stage a temporary table with at least one row
 */
export function notOurs(stage: string): string {
  return `xmin <> (SELECT own.xmin FROM ${stage} own LIMIT 1)`;
}
