import { baseBackup, REPLICATED, standbyOf } from '../../../libs/embedded-postgres/src';
import { SERVICE_LOGIN } from '../../../libs/platform/src/database/service-login';
import { SERVICE_PASSWORD } from '../../setup/service-login';
import { until } from '../../webhooks/support/receiver';
import { OwnPostgres } from './own-postgres';

export interface ReplicationOptions {
  /** Whether a commit waits until the standby has stored it. */
  readonly synchronous?: boolean;
  /** Returns the address over which the standby follows the primary; by default the primary's own. */
  readonly link?: (primaryUrl: string) => Promise<string>;
  /** Further settings of the standby. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A primary and a standby that can take its place. */
export class ReplicatedPostgres {
  private follower: OwnPostgres | undefined;
  private former: OwnPostgres | undefined;

  private constructor(public primary: OwnPostgres) {}

  static async start(options: ReplicationOptions = {}): Promise<ReplicatedPostgres> {
    const pair = new ReplicatedPostgres(await OwnPostgres.start(REPLICATED));
    try {
      await pair.follow(options);
      return pair;
    } catch (error) {
      await pair.stop();
      throw error;
    }
  }

  /** The standby, or the primary that it became. */
  get standby(): OwnPostgres {
    return this.follower ?? this.primary;
  }

  /** DATABASE_URL of the processes, with both servers. */
  get url(): string {
    const servers = [this.primary, this.former ?? this.standby].map(({ port }) => `127.0.0.1:${port}`).sort();
    return serviceUrlOf(this.primary.url).replace(`127.0.0.1:${this.primary.port}`, servers.join(','));
  }

  /** DATABASE_READ_URLS of the processes, with both servers: one that is the primary serves no reads as a standby. */
  get readUrls(): string {
    const urls = [this.primary, this.standby].map(({ url }) => new URL(serviceUrlOf(url)));
    for (const url of urls) url.search = '';
    return urls.join(' ');
  }

  /** Makes a new standby, in the place of the present one or of the former primary. */
  async follow({
    synchronous = true,
    link = (url) => Promise.resolve(url),
    settings: more = {},
  }: ReplicationOptions = {}): Promise<void> {
    // Commits must not wait for an absent standby.
    await configure(this.primary, 'synchronous_standby_names', '');
    const place = this.former ?? this.follower;
    await place?.stop();
    this.former = this.follower = undefined;
    const settings = { ...standbyOf(await link(this.primary.url)), ...more };
    const dataDir = await baseBackup(this.primary, 'standby.signal');
    this.follower = await OwnPostgres.on(dataDir, settings, place?.port);
    if (synchronous) await configure(this.primary, 'synchronous_standby_names', '*');
    await this.followed(synchronous);
  }

  /** Waits until the standby follows, as after its restart. */
  async followed(synchronous = true): Promise<void> {
    await until('the standby follows', async () => {
      const [row] = await this.primary.query<{ state: string; kind: string }>(
        'SELECT state, sync_state AS kind FROM pg_stat_replication',
      );
      return row?.state === 'streaming' && row.kind === (synchronous ? 'sync' : 'async');
    });
  }

  /** The standby takes the place of the primary, which was killed or is cut off. Resolves when it takes writes. */
  async promote(): Promise<void> {
    const next = this.follower!;
    // No standby follows it yet, so its commits must not wait for one.
    await configure(next, 'synchronous_standby_names', '');
    await this.split();
    this.former = this.primary;
    this.primary = next;
    this.follower = undefined;
  }

  /** The standby is promoted while the primary runs. Resolves when it takes writes. */
  async split(): Promise<void> {
    const standby = this.follower!;
    await standby.query('SELECT pg_promote(false)');
    // The replay may cancel a statement meanwhile.
    await until('the standby is promoted', async () => {
      const [row] = await standby
        .query<{ promoted: boolean }>('SELECT NOT pg_is_in_recovery() AS promoted')
        .catch(() => []);
      return row?.promoted ?? false;
    });
  }

  /** The killed primary comes back as it was: it takes writes, and waits for no standby. */
  async revive(): Promise<OwnPostgres> {
    await this.former!.restart({ synchronous_standby_names: '' });
    return this.former!;
  }

  async stop(): Promise<void> {
    // The primary's stop would wait for its standby.
    await this.follower?.stop();
    await this.former?.stop();
    await this.primary.stop();
  }
}

/** DATABASE_URL of the processes for one address, behind which only the primary is accepted. */
export function serviceUrlOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = SERVICE_LOGIN;
  url.password = SERVICE_PASSWORD;
  url.searchParams.set('target_session_attrs', 'read-write');
  return url.href;
}

/** Changes a setting of a running server, also of a standby. */
async function configure(server: OwnPostgres, name: string, value: string): Promise<void> {
  await server.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await server.query('SELECT pg_reload_conf()');
}
