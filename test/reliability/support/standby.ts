import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVICE_LOGIN } from '../../../libs/platform/src/database/service-login';
import { SERVICE_PASSWORD } from '../../setup/service-login';
import { until } from '../../webhooks/support/receiver';
import { OwnPostgres } from './own-postgres';

/** Settings of a server that a standby follows. The log is kept until a new standby has copied the data. */
const REPLICATED = { wal_keep_size: '512MB', hot_standby: 'on' };

const EXCLUDED = ['./pg_wal/*', './postmaster.pid', './postmaster.opts', './pg_replslot/*', './*.signal'];

/** Copies a cluster. tar exits with 1 if a file changed or vanished meanwhile, which the log repairs. */
const COPY = `tar -C "$1" -cf - ${EXCLUDED.map((path) => `--exclude='${path}'`).join(' ')} . 2>/dev/null | tar -C "$2" -xpf -`;

/**
 * Copies the data of a running server, as pg_basebackup does, which the embedded PostgreSQL lacks.
 *
 * @param signal the file that makes a start on the copy follow a primary, or replay an archive
 * @returns the folder of the copy
 */
export async function baseBackup(
  from: OwnPostgres,
  signal: 'standby.signal' | 'recovery.signal',
): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mandat-copy-'));
  const cluster = join(dataDir, 'cluster');
  await mkdir(cluster, { mode: 0o700 });
  await copyFile(join(from.dataDir, 'password'), join(dataDir, 'password'));
  const client = await from.client();
  try {
    // Both in one session, because its end would end the backup.
    await client.query(`SELECT pg_backup_start('copy', fast => true)`);
    await promisify(execFile)('/bin/sh', ['-c', COPY, 'sh', join(from.dataDir, 'cluster'), cluster]);
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    await writeFile(join(cluster, 'backup_label'), rows[0]!.labelfile);
    await writeFile(join(cluster, signal), '');
  } finally {
    await client.end();
  }
  const { uid, gid } = await stat(join(from.dataDir, 'cluster'));
  await promisify(execFile)('chown', ['-R', `${uid}:${gid}`, cluster]);
  return dataDir;
}

export interface ReplicationOptions {
  /** Whether a commit waits until the standby has stored it. */
  readonly synchronous?: boolean;
  /** Returns the address over which the standby follows the primary; by default the primary's own. */
  readonly link?: (primaryUrl: string) => Promise<string>;
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

  /** Makes a new standby, in the place of the present one or of the former primary. */
  async follow({
    synchronous = true,
    link = (url) => Promise.resolve(url),
  }: ReplicationOptions = {}): Promise<void> {
    // No commit may wait for a standby that is not there.
    await configure(this.primary, 'synchronous_standby_names', '');
    const place = this.former ?? this.follower;
    await place?.stop();
    this.former = this.follower = undefined;
    const { hostname, port, username, password } = new URL(await link(this.primary.url));
    const settings = {
      ...REPLICATED,
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
    };
    const dataDir = await baseBackup(this.primary, 'standby.signal');
    this.follower = await OwnPostgres.on(dataDir, settings, place?.port);
    if (synchronous) await configure(this.primary, 'synchronous_standby_names', '*');
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
    await next.query('SELECT pg_promote()');
    this.former = this.primary;
    this.primary = next;
    this.follower = undefined;
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
