import { Inject, Injectable } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient, QueryResultRow } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { isTransient, mayPassOnPrimary, sqlState } from '../errors/sql-errors';
import { ConnectionShares, type Measured } from '../limits/connection-shares';
import { retried, throwOutcome } from './attempts';
import type { Database } from './database';
import { Databases, type Reading } from './databases';
import { entering, type Prelude } from './entered-query';
import type { Statement } from './one-trip';
import {
  entryOf,
  includes,
  isAdministration,
  keyOf,
  NO_TENANT,
  type Scope,
  spaceOf,
  type TenantScope,
} from './scope';
import { SingleStatements } from './single-statements';

interface Connection {
  readonly database: Database;
  readonly runner: QueryRunner;
  readonly client: PoolClient;
}

interface Ambient extends Connection {
  readonly scope: Scope;
  readonly isReadOnly: boolean;
  /** Steps before the commit; undefined once they have begun. */
  endings: readonly Ending[] | undefined;
}

interface Ending {
  readonly scope: Scope;
  readonly work: () => Promise<void>;
}

/**
 * The way of all repositories to the database. Every statement runs in a transaction that carries the tenant for
 * row-level security, and repositories join the ambient one.
 */
@Injectable()
export class Transactions {
  private readonly ambient = new AsyncLocalStorage<Ambient>();
  private readonly readings = new AsyncLocalStorage<Reading>();

  private readonly single: SingleStatements;

  constructor(
    @Inject(Databases) private readonly databases: Omit<Databases, 'own' | 'know'>,
    private readonly shares: ConnectionShares,
  ) {
    this.single = new SingleStatements(shares, (scope) => this.clientOf(scope));
  }

  /**
   * Runs `work` in one transaction: all of it commits or none. Inside another `run` of the same scope it joins that
   * one. After a deadlock, a serialisation failure or an SQLSTATE of `retryOn` the work is tried again, so it must have
   * no effect outside the database.
   *
   * @param retryOn SQLSTATEs beside those of a deadlock and a serialisation failure
   * @throws what `work` throws, after rolling back
   */
  async run<T>(
    scope: Scope,
    work: () => Promise<T>,
    { retryOn }: { readonly retryOn?: readonly string[] } = {},
  ): Promise<T> {
    const outer = this.outer(scope, false);
    if (outer && !retryOn) return work();
    const attempt = (): Promise<T> =>
      outer
        ? this.savepoint(work)
        : this.inSlot(scope, (measured) => this.attempt(scope, false, work, { measured }));
    // A deadlock ends a whole transaction, so the outermost `run` is the one that tries again.
    return retried(
      attempt,
      (error) => (!outer && isTransient(error)) || !!retryOn?.includes(sqlState(error) ?? ''),
    );
  }

  /** Runs `work` that only reads, like `run`. PostgreSQL refuses writes. @throws what `work` throws */
  async read<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    if (this.outer(scope, true)) return work();
    const attempt = (database: Database): Promise<T> =>
      this.inSlot(scope, (measured) => this.attempt(scope, true, work, { database, measured }));
    return retried(() => this.routed(scope, attempt), isTransient);
  }

  /**
   * Runs a request whose reads may go to standbys. Each read is then at most `DATABASE_READ_MAX_LAG_MS` behind and includes
   * everything that its data space has written before the request. After a write of the request, it reads from the primary.
   */
  fromStandbys<T>(request: () => T): T {
    return this.readings.run(this.databases.reading(), request);
  }

  /**
   * Stores that the data space has written, as each write does itself. For work that passes on what other processes wrote, which
   * may not have stored it yet.
   */
  async wrote(scope: TenantScope): Promise<void> {
    await this.databases.wrote(await this.databaseOf(scope), [scope]);
  }

  /** Runs work that only reads on a replica, if the request may use one, and on the primary if that fails. */
  private async routed<T>(scope: Scope, work: (database: Database) => Promise<T>): Promise<T> {
    const primary = await this.databaseOf(scope);
    const reading = isAdministration(scope) ? undefined : this.readings.getStore();
    const replica = await reading?.replica(primary, keyOf(scope));
    if (!replica) return work(primary);
    try {
      return await work(replica.database);
    } catch (error) {
      if (!mayPassOnPrimary(error)) throw error;
      replica.doubt(error);
      reading!.end();
      return work(primary);
    }
  }

  private async attempt<T>(
    scope: Scope,
    isReadOnly: boolean,
    work: () => Promise<T>,
    { database: where, measured = this.shares.unbudgeted }: { database?: Database; measured?: Measured } = {},
  ): Promise<T> {
    const database = where ?? (await this.databaseOf(scope));
    const runner = (await database.connected()).createQueryRunner();
    const connected = async () => {
      const client = (await runner.connect()) as PoolClient;
      // The wait for a free connection does not count.
      return measured(() => this.transaction(scope, isReadOnly, work, { database, runner, client }));
    };
    const { result, written } = await connected().finally(() => runner.release());
    if (!isReadOnly) await this.databases.wrote(database, [scope, ...written]);
    return result;
  }

  /** @returns also the scopes of the work that ran before the commit */
  private async transaction<T>(
    scope: Scope,
    isReadOnly: boolean,
    work: () => Promise<T>,
    connection: Connection,
  ): Promise<{ result: T; written: readonly Scope[] }> {
    const { runner, client } = connection;
    try {
      await runner.startTransaction();
      await client.query(entering(entryOf(scope, isReadOnly)));
      const ambient: Ambient = { scope, isReadOnly, ...connection, endings: [] };
      const result = await this.ambient.run(ambient, work);
      const written = await this.end(ambient);
      // COMMIT of a failed transaction answers ROLLBACK without an error, which must not count as success. TypeORM does
      // not report this, so the statement is sent directly. The runner is not used again.
      const { command } = await client.query('COMMIT').catch(throwOutcome);
      if (command !== 'COMMIT') throw new Error('The transaction failed and the failure was swallowed.');
      return { result, written };
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Runs `work` at the end of the ambient transaction, before its commit, in any scope. Use it for locks that many wait
   * for: they are then held only while the transaction commits. A rollback to a savepoint also removes the work. Work in
   * another database has a transaction of its own, which commits first: it must be safe to repeat.
   */
  beforeCommit(scope: Scope, work: () => Promise<void>): void {
    const ambient = this.current();
    if (!ambient.endings) throw new Error('The transaction is about to commit.');
    ambient.endings = [...ambient.endings, { scope, work }];
  }

  /** @returns the scopes of the work in this database */
  private async end(ambient: Ambient): Promise<Scope[]> {
    const here: Ending[] = [];
    const elsewhere: (Ending & { readonly database: Database })[] = [];
    for (const ending of ambient.endings ?? []) {
      // In the ambient transaction, because it may have made the data space; and before `ENTER` changes its role.
      const database = await this.ambient.run(ambient, () => this.databaseOf(ending.scope));
      if (database === ambient.database) here.push(ending);
      else elsewhere.push({ ...ending, database });
    }
    for (const { scope, work } of here) {
      await ambient.client.query(entering(entryOf(scope, false)));
      await this.ambient.run({ ...ambient, scope, endings: undefined }, work);
    }
    // Last, because a failure here leaves nothing there.
    for (const { scope, work, database } of elsewhere) await this.attempt(scope, false, work, { database });
    return here.map(({ scope }) => scope);
  }

  /**
   * Runs `work` in a savepoint: a failure undoes only its own statements, and the ambient transaction continues.
   *
   * @throws what `work` throws, after rolling back to where it began
   */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const ambient = this.current();
    const { client, endings } = ambient;
    await client.query('SAVEPOINT inner_work');
    try {
      const result = await work();
      await client.query('RELEASE SAVEPOINT inner_work');
      return result;
    } catch (error) {
      // Rolling back keeps the savepoint, and an outer one of the same name would then roll back to this one.
      await client.query('ROLLBACK TO SAVEPOINT inner_work; RELEASE SAVEPOINT inner_work');
      ambient.endings = endings;
      throw error;
    }
  }

  /** Takes the advisory lock of this name until the transaction ends. Waits for transactions of all processes. */
  async lockByName(name: string): Promise<void> {
    await this.current().client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [name]);
  }

  /** Runs `work` in the ambient transaction, undoes its writes and returns its result (a simulation). */
  async undone<T>(work: () => Promise<T>): Promise<T> {
    const ambient = this.current();
    const { client, endings } = ambient;
    await client.query('SAVEPOINT simulation');
    const result = await work();
    await client.query('ROLLBACK TO SAVEPOINT simulation; RELEASE SAVEPOINT simulation');
    ambient.endings = endings;
    return result;
  }

  /**
   * Runs one statement that only reads. Outside a transaction it gets its own, in one round trip, in which PostgreSQL
   * refuses writes. Inside, it joins the transaction.
   *
   * @param before settings of its own transaction, in the same round trip
   */
  async query<R extends QueryResultRow>(
    scope: Scope,
    statement: Statement,
    before: readonly Prelude[] = [],
  ): Promise<R[]> {
    const outer = this.outer(scope, true);
    if (outer) return joined(outer, statement);
    return this.routed(scope, (database) => this.single.rows<R>(database, scope, true, statement, before));
  }

  /**
   * Runs one statement that reads a few rows by an index, like `query`. Outside a transaction it shares a connection with others of
   * its kind, which wait for it. So it must be short, and must not wait for a lock.
   */
  async lookUp<R extends QueryResultRow>(scope: TenantScope, statement: Statement): Promise<R[]> {
    const outer = this.outer(scope, true);
    if (outer) return joined(outer, statement);
    return this.routed(scope, (database) => this.single.lookUp<R>(database, scope, statement));
  }

  /** Runs one statement that writes, like `query`. */
  async execute<R extends QueryResultRow>(scope: Scope, statement: Statement): Promise<R[]> {
    const outer = this.outer(scope, false);
    if (outer) return joined(outer, statement);
    const database = await this.databaseOf(scope);
    const rows = await this.single.rows<R>(database, scope, false, statement);
    await this.databases.wrote(database, [scope]);
    return rows;
  }

  /**
   * Sends statements without results and then one statement, as one transaction in one round trip. After a deadlock or a
   * serialisation failure they are sent again.
   *
   * @returns how many rows the statement wrote
   * @throws OutcomeUnknown if the connection was lost meanwhile
   */
  async pipelined(scope: Scope, before: readonly Prelude[], statement: Statement): Promise<number> {
    if (this.outer(scope, false)) throw new Error('A transaction of its own cannot be inside another one.');
    const database = await this.databaseOf(scope);
    const client = await this.clientOf(scope);
    const count = await this.single.write(database, client, scope, before, statement);
    await this.databases.wrote(database, [scope]);
    return count;
  }

  /** Runs `work` when its client may use another connection. */
  private async inSlot<T>(scope: Scope, work: (measured: Measured) => Promise<T>): Promise<T> {
    return this.shares.transaction(await this.clientOf(scope), work);
  }

  /** The client whose budgets a scope uses. */
  async clientOf(scope: Scope): Promise<string> {
    return isAdministration(scope) ? NO_TENANT : this.databases.clientOf(scope.tenantId);
  }

  /** TypeORM's manager of the ambient transaction. */
  manager(): EntityManager {
    return this.current().runner.manager;
  }

  /** The connection of the ambient transaction, for set-based statements and COPY. */
  client(): PoolClient {
    return this.current().client;
  }

  /** Returns the value of a statement that yields one row with one column, in the ambient transaction. */
  async value<T>(text: string, values: readonly unknown[] = []): Promise<T> {
    const { rows } = await this.client().query<[T]>({ text, values: [...values], rowMode: 'array' });
    return rows[0]![0];
  }

  private databaseOf(scope: Scope): Database | Promise<Database> {
    const outer = this.ambient.getStore();
    return outer && keyOf(outer.scope) === spaceOf(scope) ? outer.database : this.databases.of(scope);
  }

  /**
   * The ambient transaction that work may join; undefined if there is none. Work that writes ends reads from standbys.
   *
   * @throws Error if it may not be part of it
   */
  private outer(scope: Scope, isReadOnly: boolean): Ambient | undefined {
    if (!isReadOnly && !isAdministration(scope)) this.readings.getStore()?.end();
    const outer = this.ambient.getStore();
    if (outer && !includes(outer.scope, scope))
      throw new Error('A transaction cannot reach into another scope.');
    if (outer?.isReadOnly && !isReadOnly) throw new Error('A read-only transaction cannot write.');
    return outer;
  }

  private current(): Ambient {
    const ambient = this.ambient.getStore();
    if (!ambient) throw new Error('This needs a transaction: call it inside transactions.run().');
    return ambient;
  }
}

/** Runs a statement in the ambient transaction. */
async function joined<R extends QueryResultRow>({ client }: Ambient, statement: Statement): Promise<R[]> {
  return (await client.query<R>({ ...statement, values: [...statement.values] })).rows;
}
