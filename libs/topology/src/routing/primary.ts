import { Client } from 'pg';
import { type ServerConfig, streamOf } from '#platform/database/client-config';
import { serversOf } from '#platform/ops/database-servers';

/** Limit of a connection, and of its answer, while the primary is searched, in ms. */
const SEARCH_MS = 1_500;

/**
 * A standby has no timeline here. Each promotion begins a new one, so an old primary that came back has a lower one than
 * its successor. The function reads the log's own timeline; the control file has it only after the next checkpoint.
 */
const IDENTIFY = `SELECT system_identifier AS system, CASE
    WHEN pg_is_in_recovery() OR current_setting('transaction_read_only')::bool THEN 0
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int
  END AS timeline FROM pg_control_system()`;

interface Identity {
  /** Identifier of the cluster, which its standbys share. */
  readonly system: string;
  /** 0 if the server takes no writes. */
  readonly timeline: number;
}

/**
 * The server of a database that takes writes, among several or behind an address that moves (docs/adr/0038). All
 * connections of a process share it.
 */
export class Primary {
  private static readonly known = new Map<string, Primary>();

  /** The primary of a URL; undefined if the URL does not ask for one. */
  static of(databaseUrl: string): Primary | undefined {
    const { urls, primaryOnly } = serversOf(databaseUrl);
    if (!primaryOnly) return undefined;
    const primary = this.known.get(databaseUrl) ?? new Primary(urls);
    this.known.set(databaseUrl, primary);
    return primary;
  }

  /** The server of the next connection; undefined while the primary is unknown. */
  private server: string | undefined;
  private searching: Promise<void> | undefined;
  /** The primary with the highest timeline so far. */
  private seen: Identity | undefined;
  /** Timelines of open connections. */
  private readonly open = new Map<PrimaryClient, number>();

  private constructor(private readonly urls: readonly [string, ...string[]]) {
    if (urls.length === 1) this.server = urls[0];
  }

  /**
   * Returns the URL of the primary, with one server.
   *
   * @throws Error if no server is one
   */
  async locate(): Promise<string> {
    if (!this.server) await (this.searching ??= this.search().finally(() => (this.searching = undefined)));
    return this.server ?? refuse();
  }

  /** Accepts a new connection, or throws if its server is not the primary. */
  async admit(client: PrimaryClient): Promise<void> {
    const { rows } = await client.query<Identity>(IDENTIFY);
    const identity = rows[0]!;
    if (!this.isPrimary(identity)) refuse();
    this.seen = identity;
    this.open.set(client, identity.timeline);
    client.once('end', () => this.open.delete(client));
    // Their server was replaced, and still answers.
    for (const [other, timeline] of this.open) if (timeline < identity.timeline) other.cut();
  }

  /** A connection could not be made to this server. */
  doubt(server: string): void {
    if (this.server === server && this.urls.length > 1) this.server = undefined;
  }

  private isPrimary({ system, timeline }: Identity): boolean {
    if (timeline === 0) return false;
    return !this.seen || (system === this.seen.system && timeline >= this.seen.timeline);
  }

  /** Asks all servers, because an old primary may answer earlier than its successor. */
  private async search(): Promise<void> {
    const found = await Promise.all(
      this.urls.map(async (url) => ({ url, identity: await identify(url).catch(() => undefined) })),
    );
    const primaries = found.flatMap(({ url, identity }) =>
      identity && this.isPrimary(identity) ? [{ url, timeline: identity.timeline }] : [],
    );
    this.server = primaries.sort((a, b) => b.timeline - a.timeline)[0]?.url;
  }
}

/** A connection that is made to the primary only, if the URL of its database asks for it. */
export class PrimaryClient extends Client {
  private readonly primary: Primary | undefined;

  constructor(config: ServerConfig) {
    super(config);
    this.primary = Primary.of(config.databaseUrl);
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    if (!this.primary) return callback ? super.connect(callback) : super.connect();
    const made = this.connectTo(this.primary);
    if (!callback) return made;
    // `pg` calls it with null for a success.
    made.then(() => callback(null as unknown as Error), callback);
  }

  /** Ends the connection without a word to the server. */
  cut(): void {
    const error = Object.assign(new Error('The database server was replaced.'), { code: 'ECONNRESET' });
    streamOf(this).destroy(error);
  }

  private async connectTo(primary: Primary): Promise<Client> {
    let server: string;
    try {
      server = await primary.locate();
    } catch (error) {
      // `pg` does not listen to the stream and does not report the end, because no connection was begun.
      streamOf(this).on('error', () => undefined);
      process.nextTick(() => this.emit('end'));
      throw error;
    }
    try {
      Object.assign(this, addressOf(server));
      await super.connect();
      await primary.admit(this);
      return this;
    } catch (error) {
      primary.doubt(server);
      this.cut();
      throw error;
    }
  }
}

async function identify(url: string): Promise<Identity> {
  const config = { connectionString: url, connectionTimeoutMillis: SEARCH_MS, query_timeout: SEARCH_MS };
  const client = new Client({ ...config, application_name: 'mandat search' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Identity>(IDENTIFY)).rows[0]!;
  } finally {
    streamOf(client).destroy();
  }
}

/** Host and port as `pg` reads them. */
function addressOf(url: string): Pick<Client, 'host' | 'port'> {
  const { host, port } = new Client({ connectionString: url });
  return { host, port };
}

/** Returns the URL of the server that takes writes. @throws Error if a URL that asks for it has none */
export async function primaryUrlOf(databaseUrl: string): Promise<string> {
  return (await Primary.of(databaseUrl)?.locate()) ?? serversOf(databaseUrl).urls[0];
}

/** Throws an error that counts as an unreachable database. */
function refuse(): never {
  throw Object.assign(new Error('No server of DATABASE_URL is the primary.'), { code: 'ECONNREFUSED' });
}
