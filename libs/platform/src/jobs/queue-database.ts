import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient, QueryResult } from 'pg';
import type { Logger } from 'pino';
import { APP_ROLE, QUEUE_ROLE } from '../database/roles';
import { createPipelinedPool, logLostConnection } from '../database/connections';
import { Databases } from '../database/databases';
import { LOGGER } from '../ops/logger';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { type Prelude, queryEntered } from '../database/entered-query';
import { QUEUE_SCHEMA } from './queue';

/**
 * Settings of each transaction of the queue. Each transaction sets them, because a pooler may give the connection to other
 * processes in between.
 */
const SETTINGS = {
  // The table of jobs is nearly empty most of the time, so PostgreSQL plans for few rows even if thousands wait: each fetch
  // would sort all of them, although an index has the order (155 ms instead of 9 for 50,000 jobs).
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  // These connections write leases only. A crash of the database may lose them: then a job runs again, which every job
  // allows. The jobs themselves are added in transactions of the service, with synchronous commits.
  synchronous_commit: 'off',
};

/** Settings and values are constants, so they need no escaping. */
const settingsText = `SELECT WHERE ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', true) IS NULL`)
  .join(' OR ')}`;

const ENTER_QUEUE: Prelude = { name: 'queue_enter', text: settingsText, values: [] };

/**
 * Fetches wait for each other. Two at the same moment would choose the same jobs, and where one job of a group runs at a time,
 * the second would take the next job of the group.
 */
const FETCH_ALONE: Prelude = {
  name: 'queue_fetch_alone',
  text: `SELECT WHERE pg_advisory_xact_lock(hashtextextended('queue', 6)) IS NULL`,
  values: [],
};

/** Whether a statement leases jobs for which others are running: ours, or a fetch of pg-boss under this alias. */
const fetchesAlone = (text: string): boolean =>
  text === TAKE || text === TAKE_HEAD || text.includes('active_group_probe');

/** Prefix with the same effect for texts of several statements, which cannot be pipelined. */
const ENTER_TEXT = `SET LOCAL ROLE ${QUEUE_ROLE}; ${settingsText}`;
const ENTERING_STATEMENTS = 2;

/**
 * The oldest job of each group that has no running one. Nothing of a group overtakes it, even while it waits for a retry. Values: the
 * queue.
 */
const HEADS = `
  SELECT DISTINCT ON (j.group_id) j.id, j.data, j.group_id AS "group", j.created_on AS "createdOn", j.start_after <= now() AS "isDue"
  FROM ${QUEUE_SCHEMA}.job j
  WHERE j.name = $1 AND j.state < 'active' AND NOT j.blocked AND j.group_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM ${QUEUE_SCHEMA}.job r WHERE r.name = $1 AND r.state = 'active' AND r.group_id = j.group_id)
  ORDER BY j.group_id, j.created_on, j.id`;

/** The table of all queues that have no table of their own; there are none of these. */
const JOBS = `${QUEUE_SCHEMA}.job_common`;

const LEASED = `state = 'active', started_on = ${QUEUE_SCHEMA}.job_now(), heartbeat_on = ${QUEUE_SCHEMA}.job_now(),
  retry_count = retry_count + (started_on IS NOT NULL)::int`;
const WAITS = `name = $1 AND state < 'active' AND NOT blocked`;

/**
 * Leases due jobs. Groups alternate: those come first that have the fewest leased jobs. Reads the first jobs of each group from an
 * index (\`prepareQueues\`), however many wait behind them. Values: the queue, the most jobs, the most of a group, groups to skip.
 */
const TAKE = `
  WITH RECURSIVE found AS (
    (SELECT group_id FROM ${JOBS} WHERE ${WAITS} AND group_id IS NOT NULL ORDER BY group_id LIMIT 1)
    UNION ALL
    SELECT (SELECT j.group_id FROM ${JOBS} j WHERE ${WAITS} AND j.group_id > found.group_id ORDER BY j.group_id LIMIT 1)
    FROM found WHERE found.group_id IS NOT NULL
  ), leased AS MATERIALIZED (
    SELECT group_id, count(*) AS count FROM ${JOBS} WHERE name = $1 AND state = 'active' AND group_id IS NOT NULL GROUP BY 1
  ), chosen AS MATERIALIZED (
    SELECT due.id FROM found LEFT JOIN leased USING (group_id) CROSS JOIN LATERAL (
      SELECT id, start_after FROM ${JOBS}
      WHERE ${WAITS} AND group_id = found.group_id AND start_after <= ${QUEUE_SCHEMA}.job_now()
      ORDER BY start_after LIMIT greatest(0, least($2::int, $3::int - coalesce(leased.count, 0)))
    ) due
    WHERE found.group_id <> ALL ($4::text[])
    ORDER BY coalesce(leased.count, 0) + row_number() OVER (PARTITION BY found.group_id ORDER BY due.start_after), due.start_after
    LIMIT $2::int
  )
  UPDATE ${JOBS} j SET ${LEASED} WHERE name = $1 AND id = ANY (ARRAY(
    SELECT id FROM ${JOBS} WHERE name = $1 AND id = ANY (ARRAY(SELECT id FROM chosen)) AND state < 'active' FOR UPDATE SKIP LOCKED
  )) RETURNING id, data, retry_count AS "retryCount"`;

/** Leases a job unless another one of its group runs. Values: the queue, the job. */
const TAKE_HEAD = `
  UPDATE ${JOBS} j SET ${LEASED} WHERE ${WAITS} AND id = $2 AND start_after <= ${QUEUE_SCHEMA}.job_now() AND NOT EXISTS (
    SELECT FROM ${JOBS} r WHERE r.name = $1 AND r.state = 'active' AND r.group_id = j.group_id)
  RETURNING id, data, retry_count AS "retryCount"`;

/** Ends leases. It removes the start of a job, so the next lease does not count as a retry. */
const RESTORE = `
  UPDATE ${QUEUE_SCHEMA}.job SET state = 'created', started_on = NULL, heartbeat_on = NULL
  WHERE name = $1 AND id = ANY ($2::uuid[]) AND state = 'active'`;

/**
 * Selects how long the oldest waiting job of each queue has been due, in seconds. Reads only one job of each group, from an
 * index.
 */
const AGES = `
  WITH RECURSIVE found AS (
    (SELECT name, group_id FROM ${JOBS} WHERE state < 'active' AND NOT blocked AND group_id IS NOT NULL ORDER BY name, group_id LIMIT 1)
    UNION ALL
    SELECT next.* FROM found, LATERAL (
      SELECT name, group_id FROM ${JOBS} j WHERE state < 'active' AND NOT blocked AND (j.name, j.group_id) > (found.name, found.group_id)
      ORDER BY name, group_id LIMIT 1
    ) next
  )
  SELECT name, extract(epoch FROM ${QUEUE_SCHEMA}.job_now() - min(start_after))::float8 AS age FROM found, LATERAL (
    SELECT start_after FROM ${JOBS} j WHERE j.name = found.name AND j.group_id = found.group_id AND state < 'active' AND NOT blocked
    ORDER BY start_after LIMIT 1
  ) oldest
  WHERE start_after <= ${QUEUE_SCHEMA}.job_now() GROUP BY name`;

/** Removes all jobs of a data space, as the owner. */
export const REMOVE_JOBS = `DELETE FROM ${JOBS} WHERE data->>'tenantId' = $1`;

/** The span that added a job, which the queue keeps with its data; absent without tracing. */
export interface Traced {
  readonly traceparent?: string;
}

/** A job that this process has leased until it removes it or gives it back. */
export interface LeasedJob<T> {
  readonly id: string;
  readonly data: T & Traced;
  /** Earlier leases that ended without that, mostly with their process. */
  readonly retryCount: number;
}

/** The oldest job of a group. */
export interface Head<T> {
  readonly id: string;
  readonly data: T;
  readonly group: string;
  readonly createdOn: Date;
  readonly isDue: boolean;
}

/** Removes jobs in a transaction of the service, whose role may only add some. */
export async function removeIn(
  client: Pick<PoolClient, 'query'>,
  queue: string,
  ids: readonly string[],
): Promise<void> {
  await client.query(`SET LOCAL ROLE ${QUEUE_ROLE}`);
  await client.query(`DELETE FROM ${JOBS} WHERE name = $1 AND id = ANY ($2::uuid[])`, [queue, [...ids]]);
  await client.query(`SET LOCAL ROLE ${APP_ROLE}`);
}

/** Connections of the queue: each statement is a transaction with the role and settings of the queue. */
@Injectable()
export class QueueDatabase {
  private readonly pool: Pool;

  constructor(
    databases: Databases,
    @Inject(PROCESS_NAME) processName: Reader,
    @Inject(LOGGER) logger: Logger,
  ) {
    const { url, watch } = databases.own;
    const options = { url, size: processName === 'worker' ? 5 : 1, applicationName: 'mandat queue', watch };
    this.pool = createPipelinedPool(options, logLostConnection(logger), [ENTER_QUEUE, FETCH_ALONE]);
  }

  /** Runs one statement, or a text of several with its own transaction and no values: this returns a list of results. */
  async executeSql(text: string, values: unknown[] = []): Promise<Pick<QueryResult, 'rows' | 'rowCount'>> {
    const client = await this.pool.connect();
    let failed = false;
    try {
      if (!/^\s*BEGIN\b/.test(text)) {
        const statement = { text, values };
        const before = fetchesAlone(text) ? [ENTER_QUEUE, FETCH_ALONE] : [ENTER_QUEUE];
        return await queryEntered(client, [QUEUE_ROLE, '', 'off', ''], statement, before);
      }
      // Statements before a BEGIN in the same message belong to its transaction (PostgreSQL, "Multiple Statements in a Simple
      // Query").
      const results = (await client.query(`${ENTER_TEXT}; ${text}`)) as unknown as QueryResult[];
      return results.slice(ENTERING_STATEMENTS) as unknown as QueryResult;
    } catch (error) {
      // The connection may be closed, or in a failed transaction.
      failed = true;
      throw error;
    } finally {
      client.release(failed);
    }
  }

  /** Leases due jobs of a queue, of each group in turn. */
  async take<T>(
    queue: string,
    limit: number,
    perGroup: number,
    without: readonly string[],
  ): Promise<LeasedJob<T>[]> {
    const values = [queue, limit, perGroup, [...without]];
    return (await this.executeSql(TAKE, values)).rows as LeasedJob<T>[];
  }

  /** Leases a job, unless it is gone, not due, or another one of its group runs. */
  async takeHead<T>(queue: string, id: string): Promise<LeasedJob<T> | undefined> {
    return (await this.executeSql(TAKE_HEAD, [queue, id])).rows[0] as LeasedJob<T> | undefined;
  }

  /** The oldest job of each group of a queue that has no running one. */
  async heads<T>(queue: string): Promise<Head<T>[]> {
    return (await this.executeSql(HEADS, [queue])).rows as Head<T>[];
  }

  /** Returns how long the oldest waiting job of each queue has been due, in seconds. Queues without waiting jobs are left out. */
  async ages(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.executeSql(AGES);
    return new Map((rows as { name: string; age: number }[]).map(({ name, age }) => [name, age]));
  }

  /** Ends the leases of jobs, as if they had not been taken. */
  async restore(queue: string, ids: readonly string[]): Promise<void> {
    await this.executeSql(RESTORE, [queue, [...ids]]);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
