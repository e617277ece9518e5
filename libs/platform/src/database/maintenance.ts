import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { leased } from './entered-query';
import { allowLongStatements, cut } from './database-watch';
import { Databases } from './databases';
import { DatabaseTime } from '../limits/database-time';
import { Transactions } from './transactions';

const PING_PARTS = 3;

/** Statements that read no tenant's rows, and time limits of long work. */
@Injectable()
export class Maintenance {
  constructor(
    private readonly databases: Databases,
    private readonly transactions: Transactions,
    private readonly time: DatabaseTime,
  ) {}

  /**
   * Queries the directory, or in the worker its cell, on a connection for keys, limits and probes.
   *
   * @throws Error if there is no response within `limitMs`; the connection is then cut
   */
  async ping(limitMs: number): Promise<void> {
    let client: PoolClient | undefined;
    let isLate = false;
    const asked = leased(this.databases.own.pools.access, async (own) => {
      client = own;
      // A connection that became free after the limit returns to the pool unused.
      if (!isLate) await this.time.measure(undefined, () => own.query('SELECT 1'));
    });
    const answered = new AbortController();
    const tooLate = async (): Promise<never> => {
      // In parts, because a process that was stopped meanwhile then reads the answer that has arrived before it decides.
      for (let part = 0; part < PING_PARTS; part++)
        await sleep(limitMs / PING_PARTS, undefined, { signal: answered.signal });
      isLate = true;
      if (client) cut(client);
      throw new Error('The database does not answer in time.');
    };
    await Promise.race([asked, tooLate()]).finally(() => answered.abort());
  }

  /** Removes dead rows of tables in the worker's cell from their files, which no transaction can do. Each table may take 30 minutes. */
  async vacuum(tables: readonly string[]): Promise<void> {
    const client = await this.databases.own.pools.shortWrites.connect();
    try {
      await client.query(`SET statement_timeout = '30min'`);
      allowLongStatements(client);
      for (const table of tables) await client.query(`VACUUM ${table}`);
    } finally {
      // The next user of the connection must have the time limits of requests.
      client.release(true);
    }
  }

  /**
   * Replaces the time limits of requests in the ambient transaction: 30 minutes for a statement, none for the whole, unless others
   * are given.
   */
  async raiseTimeLimits({ statement = '30min', whole = '0' } = {}): Promise<void> {
    const client = this.transactions.client();
    // PostgreSQL starts a timer of a transaction only if none runs: the present one has to be stopped before.
    await client.query(
      `SELECT set_config('transaction_timeout', '0', true), set_config('statement_timeout', $1, true),
         set_config('idle_in_transaction_session_timeout', '10min', true)`,
      [statement],
    );
    if (whole !== '0') await client.query(`SELECT set_config('transaction_timeout', $1, true)`, [whole]);
    allowLongStatements(client);
  }
}
