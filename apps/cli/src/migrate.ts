import { MESSAGING_QUEUES } from '#messaging';
import {
  knownMigrations,
  migrateDown as undoMigrations,
  migrateUp as migrateSchema,
} from '#platform/database/migrate';
import type { DatabaseProbe } from '#platform/database/probe';
import { cellsOf } from '#platform/ops/load-config';
import { prepareQueues } from '#platform/jobs/prepare-queues';
import { SYNC_QUEUES } from '#sync';
import { primaryUrlOf } from '#topology';
import { WEBHOOKS_QUEUES } from '#webhooks';
import { Fault } from './findings';

/** Pause between two lines about waits, in ms. */
const TELL_EVERY_MS = 10_000;

/** Tells the operator why a migration waits, now and then. */
export function waitTeller(): (reason: string) => void {
  let toldAt = -Infinity;
  return (reason) => {
    if (performance.now() < toldAt + TELL_EVERY_MS) return;
    toldAt = performance.now();
    console.error(`A migration waits for running transactions and is tried again (${reason}).`);
  };
}

/** The databases by their URLs, the directory first, each with the name of its cell; undefined for the directory. */
export function databasesOf(url: string, cells: string | undefined): Map<string, string | undefined> {
  const named = [...cellsOf(cells, url)].filter(([, cell]) => cell !== url);
  return new Map([[url, undefined], ...named.map(([name, cell]) => [cell, name] as const)]);
}

/** Brings the schema and the queues of all databases up to date. @returns the names of the migrations that ran, by cell */
export async function migrateAll(
  url: string,
  cells: string | undefined,
): Promise<[cell: string | undefined, done: string[]][]> {
  const done: [string | undefined, string[]][] = [];
  for (const [each, name] of databasesOf(url, cells)) done.push([name, await migrateUp(each)]);
  return done;
}

/** Brings the schema and the queues up to date. @returns the names of the migrations that ran */
export async function migrateUp(databaseUrl: string): Promise<string[]> {
  const queues = [...SYNC_QUEUES, ...WEBHOOKS_QUEUES, ...MESSAGING_QUEUES];
  const url = await primaryUrlOf(databaseUrl);
  return migrateSchema(url, () => prepareQueues(url, queues), waitTeller());
}

/** Undoes the last `steps` migrations of a database. */
export async function migrateDown(databaseUrl: string, steps: number): Promise<void> {
  return undoMigrations(await primaryUrlOf(databaseUrl), steps, waitTeller());
}

/** A check of the schema. @throws Fault for one that is older than this release */
export async function assertMigrated(probe: DatabaseProbe): Promise<string> {
  const done = await probe.migrations();
  const pending = knownMigrations().filter((one) => !done.has(one.split('-')[0]!));
  if (pending.length > 0)
    throw new Fault(
      done.size === 0 ? 'the schema is older than this release' : `pending: ${pending.join(', ')}`,
      'Run npm run cli -- migrate with the login of the owner.',
    );
  return 'all are applied';
}
