import { MESSAGING_QUEUES } from '#messaging';
import { migrateUp as migrateSchema } from '#platform/database/migrate';
import { prepareQueues } from '#platform/jobs/prepare-queues';
import { SYNC_QUEUES } from '#sync';
import { WEBHOOKS_QUEUES } from '#webhooks';

export { migrateDown } from '#platform/database/migrate';

/** Brings the schema and the queues up to date. @returns the names of the migrations that ran */
export function migrateUp(databaseUrl: string): Promise<string[]> {
  const queues = [...SYNC_QUEUES, ...WEBHOOKS_QUEUES, ...MESSAGING_QUEUES];
  return migrateSchema(databaseUrl, (url) => prepareQueues(url, queues));
}
