import type { Client } from 'pg';
import { eventually } from '../http/expect-problem';

/**
 * Returns the connections of the service that wait for a lock now.
 *
 * Those of the queue are left out: when a worker starts, its fetches wait for each other for a moment
 * (libs/platform/src/jobs/queue-database.ts).
 */
export async function waitingNow(database: Pick<Client, 'query'>): Promise<number[]> {
  const { rows } = await database.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name <> 'mandat queue'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Waits until this number of connections of the service or more wait for a lock. @returns them */
export function lockWaits(database: Pick<Client, 'query'>, count = 1): Promise<number[]> {
  return eventually(
    async () => {
      const pids = await waitingNow(database);
      return pids.length >= count ? pids : undefined;
    },
    `${count} lock waits`,
    30,
  );
}
