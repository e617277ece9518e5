import type { Pool, QueryResult } from 'pg';
import { createPipelinedPool, type PoolOptions, QUEUE_ROLE } from '../database/connections';
import { type Prelude, queryEntered } from '../database/entered-query';

/**
 * What holds for each transaction of the queue, beside its role; with it in each, none depends on a connection that a
 * pooler may have given to others in between.
 */
const SETTINGS = {
  // The table of jobs is nearly empty most of the time, and PostgreSQL goes on thinking so when thousands wait: it would
  // collect and sort all of them for each fetch, though an index has them in order (155 ms instead of 9 for 50,000).
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  // What these connections write says who is at work on what. Lost in a crash of the database, it costs a repetition,
  // which every job allows for; the jobs themselves are added and committed by the service's own transactions.
  synchronous_commit: 'off',
};

/** Settings and values are constants of ours: nothing needs escaping. */
const settingsText = `SELECT WHERE ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', true) IS NULL`)
  .join(' OR ')}`;

const ENTER_QUEUE: Prelude = { name: 'queue_enter', text: settingsText, values: [] };

/** For texts of several statements, which cannot be sent as one with others before it. */
const ENTER_TEXT = `SET LOCAL ROLE ${QUEUE_ROLE}; ${settingsText}`;
const ENTERING_STATEMENTS = 2;

/** Connections of the queue: each statement is a transaction that enters the queue's role and settings by itself. */
export class QueueDatabase {
  private readonly pool: Pool;

  constructor(options: PoolOptions, onError: (error: Error) => void) {
    this.pool = createPipelinedPool(options, onError, [ENTER_QUEUE]);
  }

  /** Runs one statement, or several without values that make their own transaction: these answer a list of results. */
  async executeSql(text: string, values: unknown[] = []): Promise<Pick<QueryResult, 'rows' | 'rowCount'>> {
    const client = await this.pool.connect();
    let failed = false;
    try {
      if (!/^\s*BEGIN\b/.test(text)) {
        const statement = { text, values };
        return await queryEntered(client, [QUEUE_ROLE, ''], statement, [ENTER_QUEUE]);
      }
      // What comes before a BEGIN in the same message becomes part of its transaction (PostgreSQL, "Multiple Statements
      // in a Simple Query").
      const results = (await client.query(`${ENTER_TEXT}; ${text}`)) as unknown as QueryResult[];
      return results.slice(ENTERING_STATEMENTS) as unknown as QueryResult;
    } catch (error) {
      // It may have ended, or be inside a transaction that failed.
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
