import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

/** Settings of a server that a standby follows. The log is kept until a new standby has copied the data. */
export const REPLICATED = { wal_keep_size: '512MB', hot_standby: 'on' };

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
  from: { readonly url: string; readonly dataDir: string },
  signal: 'standby.signal' | 'recovery.signal',
): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mandat-copy-'));
  const cluster = join(dataDir, 'cluster');
  await mkdir(cluster, { mode: 0o700 });
  await copyFile(join(from.dataDir, 'password'), join(dataDir, 'password'));
  const client = new Client({ connectionString: from.url });
  client.on('error', () => undefined);
  await client.connect();
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

/** Settings of a standby that follows the server at this address. */
export function standbyOf(primaryUrl: string): Record<string, string> {
  const { hostname, port, username, password } = new URL(primaryUrl);
  const primary_conninfo = `host=${hostname} port=${port} user=${username} password=${password}`;
  return { ...REPLICATED, primary_conninfo };
}
