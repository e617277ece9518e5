import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../libs/embedded-postgres/src';
import { makeServiceLogin } from '../../libs/platform/src/database/service-login';
import { SERVICE_PASSWORD } from './service-login';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');

/**
 * One PostgreSQL for the whole run, with a template database that the production command has migrated; each test file
 * clones it. TEST_DATABASE_URL names another server to use instead of the embedded one. With TEST_CELLS=2 a second server
 * has the data spaces.
 */
export default async function globalSetup(): Promise<void> {
  if (!existsSync(CLI))
    throw new Error('The tests run the built migrations: run `npm run build` first, or `npm test`.');
  process.env.TEST_DATABASE_URL ||= await startServer();
  await makeTemplate(process.env.TEST_DATABASE_URL);
  if (process.env.TEST_CELLS !== '2') return;
  process.env.TEST_CELL_URL = await startServer();
  await makeTemplate(process.env.TEST_CELL_URL);
}

/** A server of this run, which its teardown stops. */
export interface TestServer {
  readonly database: EmbeddedPostgres;
  readonly dataDir: string;
}

async function startServer(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mandat-test-'));
  // Test data need not survive a power failure, and plans must not depend on the time of an autovacuum.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    max_connections: '300',
  };
  const database = await startEmbeddedPostgres({ dataDir, settings });
  const state = globalThis as { testServers?: TestServer[] };
  state.testServers = [...(state.testServers ?? []), { database, dataDir }];
  return database.url;
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
