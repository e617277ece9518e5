import { clientConfig } from '#platform/database/client-config';
import { PrimaryClient } from './primary';

/** Returns the number of connections that APIs, workers and movers have to a database. */
export async function connectionsOfProcesses(databaseUrl: string): Promise<number> {
  const client = new PrimaryClient(clientConfig(databaseUrl, 'mandat cli'));
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name ~ '^mandat (api|worker|deplacement)'`,
    );
    return rows[0]!.count;
  } finally {
    await client.end();
  }
}
