import { Client } from 'pg';
import { PgBoss } from 'pg-boss';
import { APP_ROLE, QUEUE_ROLE } from '../database/roles';
import { type Queue, QUEUE_SCHEMA } from './queue';

/** Rights on the queue: all processes add jobs, and only the queue's role reads them. */
const GRANTS = `
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO ${QUEUE_ROLE};
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${QUEUE_SCHEMA} TO ${QUEUE_ROLE}, ${APP_ROLE};
  GRANT INSERT, SELECT (id) ON ${QUEUE_SCHEMA}.job, ${QUEUE_SCHEMA}.job_common TO ${APP_ROLE};
  GRANT SELECT ON ${QUEUE_SCHEMA}.queue TO ${APP_ROLE}`;

/** Finds the due jobs of a group. The indexes of pg-boss have no group, and would read all jobs that are due before. */
const INDEX = `CREATE INDEX IF NOT EXISTS job_waiting ON ${QUEUE_SCHEMA}.job_common (name, group_id, start_after)
  WHERE state < 'active' AND NOT blocked`;

/**
 * Migrates the schema of pg-boss and creates missing queues. Safe to repeat.
 *
 * @param url a role that owns the database
 * @param queues every queue, a dead letter queue before the one that names it
 */
export async function prepareQueues(url: string, queues: readonly Queue[]): Promise<void> {
  const boss = new PgBoss({
    connectionString: url,
    schema: QUEUE_SCHEMA,
    max: 2,
    createSchema: false,
    supervise: false,
    schedule: false,
  });
  // Each call throws its own error.
  boss.on('error', () => undefined);
  await boss.start();
  try {
    for (const { name, ...options } of queues) {
      if (!(await boss.getQueue(name))) await boss.createQueue(name, options);
      // pg-boss rejects an empty update.
      else if (Object.keys(options).length > 0) await boss.updateQueue(name, options);
    }
  } finally {
    await boss.stop({ graceful: false });
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(INDEX);
    await client.query(GRANTS);
  } finally {
    await client.end();
  }
}
