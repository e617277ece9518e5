import type { Client } from 'pg';
import { Clock } from '../../../libs/platform/src/ops/clock';

/**
 * A clock that a test moves ahead, for workers and for the SQL of the queue. Jobs that are leased during a move look
 * abandoned: move it when no job is running.
 */
export class ShiftedClock extends Clock {
  private shiftMs = 0;

  private constructor(private readonly database: Client) {
    super();
  }

  /** @param database a superuser's connection */
  static async install(database: Client): Promise<ShiftedClock> {
    await database.query(`
      CREATE TABLE pgboss.test_shift (shift interval NOT NULL);
      INSERT INTO pgboss.test_shift VALUES ('0');
      GRANT SELECT ON pgboss.test_shift TO mandat_app, mandat_queue;
      CREATE OR REPLACE FUNCTION pgboss.job_now() RETURNS timestamptz LANGUAGE sql STABLE
        AS $$ SELECT now() + (SELECT shift FROM pgboss.test_shift) $$`);
    return new ShiftedClock(database);
  }

  override now(): Date {
    return new Date(Date.now() + this.shiftMs);
  }

  /** Moves to a time, which must not be earlier than now. */
  async moveTo(time: Date): Promise<void> {
    this.shiftMs = Math.max(this.shiftMs, time.getTime() - Date.now());
    await this.database.query("UPDATE pgboss.test_shift SET shift = $1::bigint * interval '1 millisecond'", [
      Math.round(this.shiftMs),
    ]);
  }
}
