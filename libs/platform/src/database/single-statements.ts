import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { endsConnection, isTransient } from '../errors/sql-errors';
import type { ConnectionShares, Measured } from '../limits/connection-shares';
import { retried, throwOutcome } from './attempts';
import { leased } from './entered-query';
import type { Database } from './database';
import { entering, type Entry, type Prelude, queryEntered } from './entered-query';
import { knows, type Statement } from './one-trip';
import { entryOf, isAdministration, type Scope, type TenantScope } from './scope';

/** Statements that are transactions of their own, each in one round trip. They join no other transaction. */
export class SingleStatements {
  /** @param clientOf the client whose budgets a scope uses */
  constructor(
    private readonly shares: ConnectionShares,
    private readonly clientOf: (scope: Scope) => Promise<string>,
  ) {}

  /** Runs a statement behind others without results. @returns its rows */
  async rows<R extends QueryResultRow>(
    { pools }: Database,
    scope: Scope,
    isReadOnly: boolean,
    statement: Statement,
    before: readonly Prelude[] = [],
  ): Promise<R[]> {
    const run = (pool: Pool, measured: Measured): Promise<R[]> =>
      leased(pool, (client) =>
        measured(async () => (await entered<R>(client, entryOf(scope, isReadOnly), statement, before)).rows),
      );
    if (isAdministration(scope)) return run(pools.access, this.shares.unbudgeted);
    return this.shares.read(await this.clientOf(scope), (measured) => run(pools.reads, measured));
  }

  /** Runs a statement that reads a few rows by an index, on a connection that others share at once. @returns its rows */
  async lookUp<R extends QueryResultRow>(
    database: Database,
    scope: TenantScope,
    statement: Statement,
  ): Promise<R[]> {
    const client = await this.clientOf(scope);
    const send = (connection: PoolClient): Promise<R[]> =>
      this.shares.unbudgeted(
        async () => (await queryEntered<R>(connection, entryOf(scope, true), statement)).rows,
      );
    return database.pools.lookUps.run(client, send, () => this.rows(database, scope, true, statement));
  }

  /**
   * Runs a statement that writes, behind others without results. After a deadlock or a serialisation failure they are sent again.
   *
   * @param client whose share of the connections it uses
   * @returns how many rows the statement wrote
   * @throws OutcomeUnknown if the connection was lost meanwhile
   */
  write(
    { pools }: Database,
    client: string,
    scope: Scope,
    before: readonly Prelude[],
    statement: Statement,
  ): Promise<number> {
    const send = async (connection: PoolClient): Promise<number> =>
      (await entered(connection, entryOf(scope, false), statement, before)).rowCount ?? 0;
    const attempt = (measured: Measured): Promise<number> =>
      leased(pools.shortWrites, (connection) => measured(() => send(connection).catch(throwOutcome)));
    return retried(() => this.shares.shortTransaction(client, attempt), isTransient);
  }
}

/** Runs a statement behind others, in a transaction of its own. A connection learns the others one by one at their first use. */
function entered<R extends QueryResultRow>(
  client: PoolClient,
  entry: Entry,
  statement: Statement,
  before: readonly Prelude[],
): Promise<Pick<QueryResult<R>, 'rows' | 'rowCount'>> {
  return knows(client, before)
    ? queryEntered<R>(client, entry, statement, before)
    : learn<R>(client, entry, before, statement);
}

/** Runs statements one by one in a transaction. @returns the result of the last one */
async function learn<R extends QueryResultRow>(
  client: PoolClient,
  entry: Entry,
  before: readonly Prelude[],
  statement: Statement,
): Promise<QueryResult<R>> {
  const send = ({ values, ...one }: Statement): Promise<QueryResult<R>> =>
    client.query<R>({ ...one, values: [...values] });
  await client.query('BEGIN');
  try {
    await client.query(entering(entry, statement.name));
    for (const one of before) await send(one);
    const result = await send(statement);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (!endsConnection(error)) await client.query('ROLLBACK');
    throw error;
  }
}
