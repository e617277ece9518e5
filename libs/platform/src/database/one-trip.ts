import { type PoolClient, Query, type QueryResult, type QueryResultRow } from 'pg';

/**
 * A statement. Each `name` has one `text`: a connection parses it once and soon uses one plan for all values. A statement
 * without a name is planned for its values each time.
 */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement that goes before another one in the same trip. */
export interface Earlier extends Statement {
  readonly name: string;
  readonly values: readonly (string | number)[];
}

/**
 * Runs statements of a transaction one after another: in one round trip if the connection knows each of them, and otherwise each by
 * itself, after which it knows them. A failure leaves out the later ones.
 *
 * @returns the result of each
 */
export async function inOneTrip(client: PoolClient, statements: readonly Earlier[]): Promise<QueryResult[]> {
  const last = statements.at(-1);
  if (last && knows(client, statements))
    return sendTogether(client, statements.slice(0, -1), last, { haveRows: true });
  const results: QueryResult[] = [];
  for (const { values, ...one } of statements)
    results.push(await client.query({ ...one, values: [...values] }));
  return results;
}

/** Whether a connection has run these statements before, by their names. */
export function knows(client: PoolClient, statements: readonly { readonly name: string }[]): boolean {
  const { parsedStatements } = (client as unknown as Client).connection;
  return statements.every(({ name }) => name in parsedStatements);
}

/**
 * Sends statements before one Sync: PostgreSQL runs one after the other without waiting for the client, outside of a transaction as one
 * transaction (PostgreSQL, "Extended Query", on pipelining).
 *
 * @param before statements that the connection knows
 * @param haveRows whether the rows of `before` are read, too
 * @returns the result of each
 */
export function sendTogether<R extends QueryResultRow>(
  client: PoolClient,
  before: readonly Earlier[],
  { name, text, values }: Statement,
  { haveRows }: { readonly haveRows: boolean },
): Promise<QueryResult<R>[]> {
  return new Promise((resolve, reject) => {
    // `pg` gives one result, or an array of several.
    const onResults = (error: Error | undefined, results: unknown): void =>
      error ? reject(error) : resolve((Array.isArray(results) ? results : [results]) as QueryResult<R>[]);
    // Given as a whole configuration, it would be cloned at a cost that shows in profiles of single reads.
    // Without a name and values pg would send a simple query, after which the transaction would stay open.
    const query = Object.assign(new Query(text, [...values], onResults), {
      queryMode: 'extended',
      ...(name === undefined ? {} : { name }),
    });
    const submitLast = query.submit.bind(query);
    const submit: typeof submitLast = (connection) => {
      connection.stream.cork();
      try {
        for (const one of before) {
          connection.bind({ statement: one.name, values: one.values.map(String) }, true);
          if (haveRows) connection.describe({ type: 'P', name: '' }, true);
          connection.execute({}, true);
        }
        return submitLast(connection);
      } finally {
        connection.stream.uncork();
      }
    };
    query.submit = submit;
    client.query(query);
  });
}

/** Properties that the types of `pg` omit. */
interface Client {
  readonly connection: { readonly parsedStatements: Readonly<Record<string, string>> };
}
