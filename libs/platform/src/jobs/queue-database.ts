import { Inject, Injectable } from '@nestjs/common';
import type { Pool, QueryResult } from 'pg';
import type { Logger } from 'pino';
import { QUEUE_ROLE } from '../database/roles';
import { createPipelinedPool, logLostConnection } from '../database/connections';
import { Databases } from '../database/databases';
import { LOGGER } from '../ops/logger';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { type Prelude, queryEntered } from '../database/entered-query';

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
 * Fetches of queues that run one job of a group at a time wait for each other. Two at the same moment would skip each other's
 * locked job, and the second would take the next job of the same group.
 */
const FETCH_ALONE: Prelude = {
  name: 'queue_fetch_alone',
  text: `SELECT WHERE pg_advisory_xact_lock(hashtextextended('queue', 6)) IS NULL`,
  values: [],
};

/** Whether a fetch asks if its group has a running job, under this alias (pg-boss). */
const fetchesAlone = (text: string): boolean => text.includes('active_group_probe');

/** Prefix with the same effect for texts of several statements, which cannot be pipelined. */
const ENTER_TEXT = `SET LOCAL ROLE ${QUEUE_ROLE}; ${settingsText}`;
const ENTERING_STATEMENTS = 2;

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

  async close(): Promise<void> {
    await this.pool.end();
  }
}
