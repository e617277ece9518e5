import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestServer } from './global-setup';
import { record, spentByServer } from './processor-time';
import type { processWide } from './test-app';

/** Failures of reads that the replay or a test has ended, and of those whose conditions the controls of isolation remove. */
const EXPECTED = /canceling statement due to|more than one row returned by a subquery/;

export default async function globalTeardown(): Promise<void> {
  // Jest ran the files in this process, and not in workers.
  await (await (globalThis as typeof processWide).sharedApp)?.app.close();
  const standby = process.env.TEST_STANDBY_URL;
  const scans = standby ? await scansOn(standby) : undefined;
  const { testServers = [] } = globalThis as { testServers?: TestServer[] };
  for (const { database, dataDir } of testServers) {
    if (process.env.PROCESSOR_TIME) record('PostgreSQL', spentByServer(await pidOf(dataDir)));
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  if (scans === undefined) return;
  process.stdout.write(`The standby has read tables of tests ${scans} times.\n`);
  if (scans === 0) throw new Error('The standby has read no table of a test.');
  // The service repeats them on the primary, so no test fails.
  const failures = testServers[0]!.failures.filter((line) => !EXPECTED.test(line));
  if (failures.length > 0) throw new Error(`Reads failed on the standby:\n${failures.join('\n')}`);
}

/** The process id of a server, from the first line of its pid file. */
async function pidOf(dataDir: string): Promise<number> {
  return parseInt(await readFile(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
}

/** How often a server has read tables of the tests' databases. */
async function scansOn(server: string): Promise<number> {
  const text = `SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0)::int AS value FROM pg_stat_user_tables`;
  const names = `SELECT datname AS value FROM pg_database WHERE datname LIKE 'mandat\\_test\\_%'`;
  let scans = 0;
  for (const name of await column<string>(server, names))
    scans += (await column<number>(new URL(name, server).href, text))[0]!;
  return scans;
}

async function column<T>(url: string, text: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ value: T }>(text);
  await client.end();
  return rows.map(({ value }) => value);
}
