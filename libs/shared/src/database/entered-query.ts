import { type PoolClient, Query, type QueryResultRow } from 'pg';

/** The role to act as and the tenant whose rows are seen, as values of `ENTER`. */
export type Entry = readonly [role: string, tenantId: string];

/**
 * A statement. Its `name` is unique to `text`, so that each connection parses it once and soon plans it for any values;
 * without a name it is planned for its values each time.
 */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Role and tenant hold until the end of the transaction only: a connection of the pool remembers neither. It answers no
 * row, so that another statement can follow it unread.
 */
export const ENTER = {
  name: 'transaction_enter',
  text: `SELECT WHERE set_config('role', $1, true) IS NULL OR set_config('app.tenant_id', $2, true) IS NULL`,
};

/**
 * Runs one statement in a transaction that it enters first. Both are sent at once and before one Sync, which makes them
 * one transaction (PostgreSQL, "Extended Query", on pipelining): role and tenant hold for the statement and end with
 * it, without a BEGIN and a COMMIT of their own. The connection must know `ENTER` already.
 */
export async function queryEntered<R extends QueryResultRow>(
  client: PoolClient,
  entry: Entry,
  { name, text, values }: Statement,
): Promise<R[]> {
  return new Promise((resolve, reject) => {
    // One result for each of the two statements.
    const onResults = (error: Error | undefined, results: unknown): void =>
      error ? reject(error) : resolve((results as { rows: R[] }[])[1]!.rows);
    // Given as a whole configuration, it would be cloned at a cost that shows in profiles of single reads.
    const query = Object.assign(new Query(text, [...values], onResults), name === undefined ? {} : { name });
    const submitStatement = query.submit.bind(query);
    query.submit = (connection) => {
      connection.stream.cork();
      try {
        connection.bind({ statement: ENTER.name, values: [...entry] }, true);
        connection.execute({}, true);
        return submitStatement(connection);
      } finally {
        connection.stream.uncork();
      }
    };
    client.query(query);
  });
}
