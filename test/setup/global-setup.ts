import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  baseBackup,
  type EmbeddedPostgres,
  standbyOf,
  startEmbeddedPostgres,
} from '../../libs/embedded-postgres/src';
import { makeServiceLogin } from '../../libs/platform/src/database/service-login';
import { SERVICE_PASSWORD } from './service-login';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');

/**
 * One PostgreSQL for the whole run, with a template database that the production command has migrated; each test file
 * clones it. TEST_DATABASE_URL names another server to use instead of the embedded one. With TEST_CELLS=2 a second server
 * has the data spaces. With TEST_READS=1 a standby follows the server of the data spaces.
 */
export default async function globalSetup(): Promise<void> {
  if (!existsSync(CLI))
    throw new Error('The tests run the built migrations: run `npm run build` first, or `npm test`.');
  process.env.TEST_DATABASE_URL ||= await startServer();
  await makeTemplate(process.env.TEST_DATABASE_URL);
  if (process.env.TEST_CELLS === '2') {
    process.env.TEST_CELL_URL = await startServer();
    await makeTemplate(process.env.TEST_CELL_URL);
  }
  if (process.env.TEST_READS === '1') process.env.TEST_STANDBY_URL = await startStandby();
}

/** A server of this run, which its teardown stops. */
export interface TestServer {
  readonly database: EmbeddedPostgres;
  readonly dataDir: string;
  /** Lines of its log about statements that failed. */
  readonly failures: readonly string[];
}

const testServers = (): TestServer[] => {
  const state = globalThis as { testServers?: TestServer[] };
  return (state.testServers ??= []);
};

/** Memory if it has room: the tests create and drop some ten thousand tables and files, and their rows take some GiB. */
function folderOfServers(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= 12 * 2 ** 30 ? memory : tmpdir();
}

async function startServer(
  more: Record<string, string> = {},
  dataDir = mkdtempSync(join(folderOfServers(), 'mandat-test-')),
): Promise<string> {
  // Test data need not survive a power failure, and plans must not depend on the time of an autovacuum.
  const settings = {
    fsync: 'off',
    // A commit that is written late would reach the standby late, and few reads would go there.
    synchronous_commit: process.env.TEST_READS === '1' ? 'local' : 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    max_connections: '400',
    ...more,
  };
  const failures: string[] = [];
  const log = (line: string): void => void (/ERROR: /.test(line) && failures.push(line));
  const database = await startEmbeddedPostgres({ dataDir, settings, log });
  // The teardown stops a standby before the server that it follows, whose stop would wait for it.
  testServers().unshift({ database, dataDir, failures });
  return database.url;
}

/**
 * Starts a standby of the server that was started last. Rows that the tests write by SQL are on the standby when their commit
 * returns; those of the service, whose login this does not concern, may be late.
 */
async function startStandby(): Promise<string> {
  const [{ database, dataDir }] = testServers() as [TestServer];
  const copy = await baseBackup({ url: database.url, dataDir }, 'standby.signal');
  const url = await startServer(standbyOf(database.url), copy);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  while ((await client.query('SELECT FROM pg_stat_replication')).rowCount !== 1) await sleep(20);
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await client.query('SELECT pg_reload_conf()');
  await client.query(`ALTER ROLE ${client.user} SET synchronous_commit = 'remote_apply'`);
  await client.end();
  return url;
}

async function makeTemplate(url: string): Promise<void> {
  const template = new URL(url);
  template.pathname = '/mandat_template';
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('DROP DATABASE IF EXISTS mandat_template WITH (FORCE)');
  await client.query('CREATE DATABASE mandat_template');
  await client.end();
  execFileSync(process.execPath, [CLI, 'migrate'], {
    env: { ...process.env, DATABASE_URL: template.href },
    stdio: 'pipe',
  });
  await makeServiceLogin(template.href, SERVICE_PASSWORD);
}
