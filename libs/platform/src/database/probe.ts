import { Client, type QueryResultRow } from 'pg';
import { ACCESS_ROLE } from './roles';
import { assertOwnsNothing, type LoginRights, PROCESS_ROLES } from './service-login';

const CONNECT_MS = 5_000;
const ANSWER_MS = 20_000;

/** Facts that a server reports about itself. */
export interface ServerFacts {
  /** 180004 for 18.4. */
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly isStandby: boolean;
  /** Size of the database, as text. */
  readonly size: string;
  /** Identifier of the cluster, which its standbys share. */
  readonly system: string;
  /** The clock, in ms. */
  readonly at: number;
}

/** A connection that asks a database whether the service can use it. It changes nothing, and needs no migration. */
export class DatabaseProbe {
  private constructor(private readonly client: Client) {}

  /** @param answerMs longest time of an answer @throws Error of `pg` */
  static async open(url: string, answerMs = ANSWER_MS): Promise<DatabaseProbe> {
    const client = new Client({
      ...{ connectionString: url, application_name: 'mandat cli' },
      ...{ connectionTimeoutMillis: CONNECT_MS, query_timeout: answerMs },
    });
    client.on('error', () => undefined);
    await client.connect();
    return new DatabaseProbe(client);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  server(): Promise<ServerFacts> {
    return this.row(
      `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
         current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS "isStandby",
         pg_size_pretty(pg_database_size(current_database())) AS size, system_identifier AS system,
         extract(epoch FROM clock_timestamp())::float8 * 1000 AS at FROM pg_control_system()`,
    );
  }

  /** @throws ConfigError if the login owns or may bypass anything */
  assertOwnsNothing(variable: string): Promise<void> {
    return assertOwnsNothing(async (text) => (await this.client.query<LoginRights>(text)).rows, variable);
  }

  /** The name of the login, and the roles that it needs and may not take. */
  login(): Promise<{ readonly name: string; readonly missing: string | null }> {
    return this.row(
      `SELECT session_user AS name, string_agg(role, ', ') FILTER (WHERE NOT EXISTS (
         SELECT FROM pg_roles r WHERE rolname = role AND pg_has_role(session_user, r.oid, 'SET'))) AS missing
       FROM unnest($1::text[]) role`,
      [PROCESS_ROLES],
    );
  }

  /** Returns the timestamps of the applied migrations; empty without the table, the role, or the right to read it. */
  async migrations(): Promise<ReadonlySet<string>> {
    try {
      await this.client.query(`SET ROLE ${ACCESS_ROLE}`);
      const { rows } = await this.client.query<{ at: string }>('SELECT timestamp::text AS at FROM migration');
      return new Set(rows.map(({ at }) => at));
    } catch {
      return new Set();
    } finally {
      await this.client.query('RESET ROLE');
    }
  }

  /** The end of the log that a primary has stored. */
  async position(): Promise<string> {
    return (await this.row<{ at: string }>('SELECT pg_current_wal_flush_lsn()::text AS at')).at;
  }

  /** Whether a standby has replayed the log up to a position. */
  async hasReached(position: string): Promise<boolean> {
    const text = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached';
    return (await this.row<{ reached: boolean }>(text, [position])).reached;
  }

  /** Names of the databases of the server. */
  async databases(): Promise<string[]> {
    const text =
      'SELECT datname AS name FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1';
    return (await this.rows<{ name: string }>(text)).map(({ name }) => name);
  }

  /** Whether a table exists in the schema of the service. */
  async hasTable(name: string): Promise<boolean> {
    const text = `SELECT to_regclass('public.' || quote_ident($1)) IS NOT NULL AS found`;
    return (await this.row<{ found: boolean }>(text, [name])).found;
  }

  /** Reads every row of every table once. @returns their numbers */
  async readAll(): Promise<{ readonly tables: number; readonly rows: number }> {
    const tables = await this.rows<{ name: string }>(
      `SELECT quote_ident(relname) AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    let rows = 0;
    for (const { name } of tables)
      rows += Number((await this.row<{ count: string }>(`SELECT count(t) FROM ${name} t`)).count);
    return { tables: tables.length, rows };
  }

  /** Runs a statement of a context. */
  async rows<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    return (await this.client.query<R>(text, values)).rows;
  }

  private async row<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R> {
    return (await this.rows<R>(text, values))[0]!;
  }
}
