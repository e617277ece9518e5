import { Inject, Injectable } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { BUDGETS } from '../ops/budgets';
import { Config } from '../ops/config';
import { DatabaseTime } from '../ops/database-time';
import { KeyedLimit } from '../ops/keyed-limit';
import { ACCESS_ROLE, APP_ROLE, ERASURE_ROLE } from './roles';
import { allowLongStatements, cut } from './database-watch';
import { ENTER, type Entry, knows, type Prelude, queryEntered, type Statement } from './entered-query';
import { leased } from './connections';
import { type Database, SHORT_WRITES } from './database';
import { Databases } from './databases';
import {
  endsConnection,
  isTransient,
  mayPassOnPrimary,
  OutcomeUnknown,
  sqlState,
} from '../errors/sql-errors';
import { Reading } from './standbys';

/**
 * Where statements run: in one tenant's data space, or in administration. `erasing` adds the rights that removing all of a
 * person takes; statements of the data space may be part of it.
 */
export type Scope = TenantScope | AdministrationScope;
type TenantScope = { readonly tenantId: string; readonly erasing?: true };
type AdministrationScope =
  typeof ADMINISTRATION | typeof OWN_CELL | { readonly cell: string } | { readonly administrationOf: string };

/** The scope of clients and keys, which belongs to no tenant. */
export const ADMINISTRATION = Symbol('administration');

/** The scope of all tenants in the worker's cell. Its role sees only what is due, and old rows. */
export const OWN_CELL = Symbol('own cell');

/** Maximum rows that one statement of a purge removes, because a large backlog would exceed the statement timeout. */
export const PURGE_BATCH = 1_000;

/** The nil GUID stands for "no tenant" in rows that administration owns. */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';

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

/** Runs work and counts its time. */
type Measured = <T>(work: () => Promise<T>) => Promise<T>;

interface Ending {
  readonly scope: Scope;
  readonly work: () => Promise<void>;
}

const ATTEMPTS = 5;

/** Limit of a wait for a connection, equal to the statement timeout. Without it, an unreachable database fills the queue for minutes. */
const LINE = {
  waitMs: 30_000,
  refusal: () => Object.assign(new Error('No connection was free in time.'), { code: 'ETIMEDOUT' }),
};

/**
 * The way of all repositories to the database. Every statement runs in a transaction that carries the tenant for
 * row-level security, and repositories join the ambient one. `ping` and `vacuum` read no tenant's rows.
 */
@Injectable()
export class Transactions {
  private readonly ambient = new AsyncLocalStorage<Ambient>();
  private readonly readings = new AsyncLocalStorage<Reading>();

  private readonly reads: KeyedLimit;
  private readonly slots: KeyedLimit;
  private readonly shortSlots: KeyedLimit;

  constructor(
    @Inject(Databases)
    private readonly databases: Pick<
      Databases,
      'directory' | 'own' | 'of' | 'cell' | 'clientOf' | 'standbys'
    >,
    @Inject(Config) { poolSize }: Pick<Config, 'poolSize'>,
    private readonly time: DatabaseTime,
  ) {
    const part = (share: number, size = poolSize): KeyedLimit =>
      new KeyedLimit(Math.max(1, Math.floor(size * share)), LINE);
    this.reads = part(BUDGETS.reads);
    this.slots = part(BUDGETS.transactions);
    this.shortSlots = part(BUDGETS.shortTransactions, poolSize * SHORT_WRITES);
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
        : this.inSlot(this.slots, scope, (measured) => this.attempt(scope, false, work, { measured }));
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
      this.inSlot(this.slots, scope, (measured) => this.attempt(scope, true, work, { database, measured }));
    return retried(() => this.routed(scope, attempt), isTransient);
  }

  /**
   * Runs a request whose reads may go to standbys. Each read is then at most `DATABASE_READ_MAX_LAG_MS` behind and includes
   * everything that its data space has written before the request. After a write of the request, it reads from the primary.
   */
  fromStandbys<T>(request: () => T): T {
    return this.readings.run(new Reading(), request);
  }

  /**
   * Stores that the data space has written, as each write does itself. For work that passes on what other processes wrote, which
   * may not have stored it yet.
   */
  async wrote(scope: TenantScope): Promise<void> {
    await this.stored(await this.databaseOf(scope), [scope]);
  }

  private async stored(database: Database, scopes: readonly Scope[]): Promise<void> {
    const standbys = this.databases.standbys.get(database);
    if (!standbys) return;
    // Includes data spaces whose settings an administrator changed.
    const spaces = scopes.map(spaceOf).filter((space) => space !== '');
    await Promise.all(spaces.map((space) => standbys.wrote(space)));
  }

  /** Runs work that only reads on a standby, if the request may use one, and on the primary if that fails. */
  private async routed<T>(scope: Scope, work: (database: Database) => Promise<T>): Promise<T> {
    const primary = await this.databaseOf(scope);
    const reading = isAdministration(scope) ? undefined : this.readings.getStore();
    const standby = await reading?.standby(this.databases.standbys.get(primary), keyOf(scope));
    if (!standby) return work(primary);
    try {
      return await work(standby.database);
    } catch (error) {
      if (!mayPassOnPrimary(error)) throw error;
      standby.doubt(error);
      reading!.end();
      return work(primary);
    }
  }

  private async attempt<T>(
    scope: Scope,
    isReadOnly: boolean,
    work: () => Promise<T>,
    { database: where, measured = (timed) => timed() }: { database?: Database; measured?: Measured } = {},
  ): Promise<T> {
    const database = where ?? (await this.databaseOf(scope));
    const runner = (await database.connected()).createQueryRunner();
    const connected = async () => {
      const client = (await runner.connect()) as PoolClient;
      // The wait for a free connection does not count.
      return measured(() => this.transaction(scope, isReadOnly, work, { database, runner, client }));
    };
    const { result, written } = await connected().finally(() => runner.release());
    if (!isReadOnly) await this.stored(database, [scope, ...written]);
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
      await client.query({ ...ENTER, values: [...entryOf(scope, isReadOnly)] });
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
      await ambient.client.query({ ...ENTER, values: [...entryOf(scope, false)] });
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
    return this.routed(scope, (database) => this.single(scope, true, statement, database, before));
  }

  /** Runs one statement that writes, like `query`. */
  async execute<R extends QueryResultRow>(scope: Scope, statement: Statement): Promise<R[]> {
    const outer = this.outer(scope, false);
    if (outer) return joined(outer, statement);
    const database = await this.databaseOf(scope);
    const rows = await this.single<R>(scope, false, statement, database);
    await this.stored(database, [scope]);
    return rows;
  }

  private async single<R extends QueryResultRow>(
    scope: Scope,
    isReadOnly: boolean,
    statement: Statement,
    { pools }: Database,
    before: readonly Prelude[] = [],
  ): Promise<R[]> {
    const run = (pool: Pool, measured: Measured): Promise<R[]> =>
      leased(pool, (client) =>
        measured(async () => (await entered<R>(client, entryOf(scope, isReadOnly), statement, before)).rows),
      );
    if (isAdministration(scope)) return run(pools.access, (timed) => timed());
    return this.inSlot(this.reads, scope, (measured) => run(pools.reads, measured));
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
    const send = async (client: PoolClient): Promise<number> =>
      (await entered(client, entryOf(scope, false), statement, before)).rowCount ?? 0;
    const database = await this.databaseOf(scope);
    const attempt = (): Promise<number> =>
      leased(database.pools.shortWrites, (client) => send(client).catch(throwOutcome));
    const client = await this.clientOf(scope);
    const count = await retried(() => this.shortSlots.run(client, attempt), isTransient);
    await this.stored(database, [scope]);
    return count;
  }

  /**
   * Queries the directory, or in the worker its cell, on a connection for keys, limits and probes.
   *
   * @throws Error if there is no response within `limitMs`; the connection is then cut
   */
  async ping(limitMs: number): Promise<void> {
    let client: PoolClient | undefined;
    let isLate = false;
    const asked = leased(this.databases.own.pools.access, async (own) => {
      client = own;
      // A connection that became free too late returns to the pool unused.
      if (!isLate) await own.query('SELECT 1');
    });
    const answered = new AbortController();
    const tooLate = async (): Promise<never> => {
      // In parts, because a delayed process then reads the received data before it decides.
      for (let part = 0; part < PING_PARTS; part++)
        await sleep(limitMs / PING_PARTS, undefined, { signal: answered.signal });
      isLate = true;
      if (client) cut(client);
      throw new Error('The database does not answer in time.');
    };
    await Promise.race([asked, tooLate()]).finally(() => answered.abort());
  }

  /** Removes dead rows of tables in the worker's cell from their files, which no transaction can do. Each table may take 30 minutes. */
  async vacuum(tables: readonly string[]): Promise<void> {
    const client = await this.databases.own.pools.shortWrites.connect();
    try {
      await client.query(`SET statement_timeout = '30min'`);
      allowLongStatements(client);
      for (const table of tables) await client.query(`VACUUM ${table}`);
    } finally {
      // The next user of the connection must have the time limits of requests.
      client.release(true);
    }
  }

  /** Replaces the time limits of requests in the ambient transaction: 30 minutes for a statement, none for the whole. */
  async raiseTimeLimits(): Promise<void> {
    const { client } = this.current();
    await client.query(
      `SELECT set_config('transaction_timeout', '0', true), set_config('statement_timeout', '30min', true),
         set_config('idle_in_transaction_session_timeout', '10min', true)`,
    );
    allowLongStatements(client);
  }

  /**
   * Runs `work` when its client may use another connection.
   *
   * @param work counts its time on a connection with `measured`
   * @throws Error that counts as "unavailable" if the client may not within 30 s
   */
  private async inSlot<T>(
    slots: KeyedLimit,
    scope: Scope,
    work: (measured: Measured) => Promise<T>,
  ): Promise<T> {
    const client = await this.clientOf(scope);
    return slots.run(client, () => work((timed) => this.time.measure(client, timed)));
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

  private async databaseOf(scope: Scope): Promise<Database> {
    if (scope === ADMINISTRATION) return this.databases.directory;
    if (scope === OWN_CELL) return this.databases.own;
    if ('cell' in scope) return this.databases.cell(scope.cell);
    const space = 'tenantId' in scope ? scope.tenantId : scope.administrationOf;
    const outer = this.ambient.getStore();
    return outer && keyOf(outer.scope) === space ? outer.database : this.databases.of(space);
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

const PING_PARTS = 3;

/** Runs a statement in the ambient transaction. */
async function joined<R extends QueryResultRow>({ client }: Ambient, statement: Statement): Promise<R[]> {
  return (await client.query<R>({ ...statement, values: [...statement.values] })).rows;
}

/** Runs `work` again, a few times, after each error that `mayPass`. */
async function retried<T>(work: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || attempt === ATTEMPTS) throw error;
      // Longer after each attempt, and for a random time because equal waits would collide again.
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

/** Throws what is known of a write that failed with this error. */
function throwOutcome(error: unknown): never {
  throw endsConnection(error) ? new OutcomeUnknown() : error;
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
    await client.query({ ...ENTER, values: [...entry] });
    for (const one of before) await send(one);
    const result = await send(statement);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (!endsConnection(error)) await client.query('ROLLBACK');
    throw error;
  }
}

function isAdministration(scope: Scope): scope is AdministrationScope {
  return typeof scope === 'symbol' || !('tenantId' in scope);
}

function keyOf(scope: Scope): string {
  return isAdministration(scope) ? NO_TENANT : scope.tenantId;
}

function entryOf(scope: Scope, isReadOnly: boolean): Entry {
  const access = isReadOnly ? 'on' : 'off';
  const written = isReadOnly ? '' : spaceOf(scope);
  if (isAdministration(scope)) return [ACCESS_ROLE, NO_TENANT, access, written];
  return [scope.erasing ? ERASURE_ROLE : APP_ROLE, scope.tenantId, access, written];
}

/** The space that a scope names; '' if it names none. */
function spaceOf(scope: Scope): string {
  if (typeof scope === 'symbol') return '';
  if ('tenantId' in scope) return scope.tenantId;
  return 'administrationOf' in scope ? scope.administrationOf : '';
}

/** Whether what runs in the inner scope may be part of the outer one. */
function includes(outer: Scope, inner: Scope): boolean {
  if (isAdministration(outer) || isAdministration(inner)) return outer === inner;
  return outer.tenantId === inner.tenantId && (outer.erasing ?? !inner.erasing);
}
