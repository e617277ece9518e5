import { Client } from 'pg';
import { eventually } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';

/** Counts the rows by table that `work` reads in an application of its own, on one connection. */
export async function allRowsRead(work: (app: TestApp) => Promise<unknown>): Promise<Map<string, number>> {
  const app = await TestApp.start({ poolSize: 1 });
  await work(app);
  // Connections publish their counts at their end, at the latest.
  await app.stop();
  const client = await app.connect();
  try {
    await eventually(async () => {
      const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND backend_type = 'client backend'`;
      return (await client.query(text)).rowCount === 0 ? true : undefined;
    }, 'The end of all connections');
    const { rows } = await client.query<{ table: string; read: number }>(
      `SELECT relname AS table, (seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::int AS read
       FROM pg_stat_user_tables t`,
    );
    return new Map(rows.map(({ table, read }) => [table, read]));
  } finally {
    await client.end();
  }
}

/** Counts the rows of one table that `work` reads in an application of its own. */
export async function rowsRead(table: string, work: (app: TestApp) => Promise<unknown>): Promise<number> {
  return (await allRowsRead(work)).get(table)!;
}

/** Runs `work` and sends each statement of this process through `change`. */
export async function replacing(
  change: (text: string, send: (instead?: string | void) => unknown) => unknown,
  work: () => Promise<unknown>,
): Promise<void> {
  const query = Client.prototype.query as (...given: unknown[]) => unknown;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    if (typeof given[0] !== 'string') return query.apply(this, given);
    return change(given[0], (instead) =>
      query.apply(this, instead === undefined ? given : [instead, ...given.slice(1)]),
    );
  } as Client['query'];
  try {
    await work();
  } finally {
    Client.prototype.query = query as Client['query'];
  }
}
