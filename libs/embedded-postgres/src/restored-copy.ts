import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '#platform/ops/config-error';
import { restoringCommand } from './dump';
import { ENVIRONMENT, locateBinaries, readIfThere, serverAccount } from './host';

/** Files of the backed-up server that would make the copy follow another one, archive, or not start here. */
const LEFT_OUT = ['postmaster.pid', 'standby.signal', 'recovery.signal', 'postgresql.auto.conf'];

/** Only the superuser of the copy logs in, with its password. */
const HBA = 'host all postgres 127.0.0.1/32 scram-sha-256\n';

const run = promisify(execFile);

/**
 * Restores a base backup into a new temporary folder, on which `startEmbeddedPostgres` starts. The backup stays as it is.
 *
 * @param path a folder of `pg_basebackup` (plain or tar), the data folder of a stopped server, an archive with all of it, or a
 * folder of several of these, of which the newest is taken
 * @returns the folder, and the backup that was taken
 * @throws ConfigError if it is none that this release can start
 */
export async function restoredCopy(
  path: string,
): Promise<{ readonly dataDir: string; readonly taken: string }> {
  const taken = await newest(path);
  const dataDir = await mkdtemp(join(tmpdir(), 'mandat-restore-'));
  const cluster = join(dataDir, 'cluster');
  try {
    await mkdir(cluster, { mode: 0o700 });
    await unpack(taken, cluster);
    await prepare(dataDir, cluster);
    return { dataDir, taken };
  } catch (error) {
    await rm(dataDir, { recursive: true });
    throw error;
  }
}

const isArchive = (path: string): boolean => /\.(tar|tgz)(\.\w+)?$/.test(path);
const isBackup = (path: string): boolean =>
  isArchive(path) || existsSync(join(path, 'PG_VERSION')) || !!tarIn(path, 'base');

/** The archive of this name in the folder, compressed or not. */
function tarIn(folder: string, name: string): string | undefined {
  return ['tar', 'tar.gz', 'tar.zst', 'tar.lz4']
    .map((end) => join(folder, `${name}.${end}`))
    .find((file) => existsSync(file));
}

async function newest(path: string): Promise<string> {
  if (!existsSync(path)) throw new ConfigError(`${path} does not exist.`);
  const command = await restoringCommand(path);
  if (command) throw ofDump(path, command);
  if (isBackup(path)) return path;
  const all = (await stat(path)).isDirectory() ? (await readdir(path)).map((name) => join(path, name)) : [];
  const dated = await Promise.all(
    all.map(async (one) => ({
      one,
      at: (await stat(one)).mtimeMs,
      restored: await restoringCommand(one),
    })),
  );
  const found = dated.sort((a, b) => b.at - a.at);
  const last = found.find(({ one, restored }) => !restored && isBackup(one));
  if (last) return last.one;
  const dump = found.find(({ restored }) => restored);
  if (dump) throw ofDump(dump.one, dump.restored!);
  throw new ConfigError(
    `${path} is no base backup. Restore a backup of another tool to an empty server, and run the command without a path on its DATABASE_URL.`,
  );
}

/** The embedded PostgreSQL has neither pg_restore nor psql. */
function ofDump(path: string, command: string): ConfigError {
  return new ConfigError(
    `${path} is a dump, and the embedded PostgreSQL has no program that restores it. With those of PostgreSQL 18, make the roles and an ` +
      'empty database on a server for the check (docs/operations.md, "Backup and restore"), and restore it there: ' +
      `${command} — then run this command without a path, with that database in DATABASE_URL.`,
  );
}

async function unpack(taken: string, cluster: string): Promise<void> {
  const base = isArchive(taken) ? taken : tarIn(taken, 'base');
  if (!base) return void (await run('cp', ['-a', '--reflink=auto', `${taken}/.`, cluster]));
  await run('tar', ['-xf', base, '-C', cluster]);
  const wal = isArchive(taken) ? undefined : tarIn(taken, 'pg_wal');
  if (wal) await run('tar', ['-xf', wal, '-C', join(cluster, 'pg_wal')]);
}

/** Takes the settings of the backed-up server away, and gives the superuser a new password. */
async function prepare(dataDir: string, cluster: string): Promise<void> {
  const version = (await readIfThere(join(cluster, 'PG_VERSION')))?.trim();
  if (version !== '18') throw new ConfigError(`The backup is of PostgreSQL ${version ?? 'unknown'}, not 18.`);
  if ((await readdir(join(cluster, 'pg_tblspc'))).length > 0)
    throw new ConfigError('The backup has tablespaces, which are not restored.');
  for (const file of LEFT_OUT) await rm(join(cluster, file), { force: true });
  await writeFile(join(cluster, 'postgresql.conf'), '');
  await writeFile(join(cluster, 'pg_hba.conf'), HBA);
  const password = randomBytes(24).toString('hex');
  await writeFile(join(dataDir, 'password'), password, { mode: 0o600 });
  const account = serverAccount(undefined);
  if (account) {
    await chown(dataDir, account.uid, account.gid);
    await run('chown', ['-R', `${account.uid}:${account.gid}`, cluster]);
  }
  // The start without clients replays the log of the backup. Its superuser may have another name.
  const statements = [
    'DO $$ BEGIN CREATE ROLE postgres; EXCEPTION WHEN duplicate_object THEN NULL; END $$',
    `ALTER ROLE postgres SUPERUSER LOGIN PASSWORD '${password}' VALID UNTIL 'infinity'`,
  ];
  const postgres = join(await locateBinaries(dataDir, account), 'bin', 'postgres');
  const { status, stderr } = spawnSync(postgres, ['--single', '-D', cluster, 'postgres'], {
    ...{ ...account, cwd: cluster, env: ENVIRONMENT },
    ...{ input: `${statements.join('\n')}\n`, encoding: 'utf8' },
  });
  const [fault] = /(?:ERROR|FATAL|PANIC): .*/.exec(stderr) ?? [];
  if (status !== 0 || fault)
    throw new ConfigError(`The backup does not start: ${fault ?? `PostgreSQL ended with ${status}`}.`);
}
