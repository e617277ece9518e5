import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { TestApp } from '../../setup/test-app';
import { lockWaits } from '../../setup/lock-waits';

/** Blocks transactions that write rows of a table, as long as it is closed. */
export class Gate {
  private constructor(
    private readonly app: TestApp,
    private readonly keeper: Client,
    private readonly name: string,
  ) {}

  /**
   * Creates a closed gate, which transactions reach after they have written a row.
   *
   * @param when SQL condition on NEW or OLD: only such rows are blocked
   */
  static async close(
    app: TestApp,
    event: 'INSERT' | 'UPDATE' | 'DELETE',
    table: string,
    when = 'true',
  ): Promise<Gate> {
    const keeper = await app.connect();
    const name = `gate_${randomUUID().replaceAll('-', '')}`;
    await keeper.query(`SELECT pg_advisory_lock(hashtextextended('${name}', 9))`);
    await keeper.query(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('${name}', 9)); RETURN NULL; END $$;
      CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`);
    return new Gate(app, keeper, name);
  }

  /** Waits until this number of transactions wait for the gate, or for a transaction that does. */
  async waiting(count = 1): Promise<void> {
    await lockWaits(this.app.database, count);
  }

  /** Lets all transactions pass. */
  async open(): Promise<void> {
    await this.keeper.query('SELECT pg_advisory_unlock_all()');
  }

  async remove(): Promise<void> {
    await this.open();
    await this.keeper.query(`DROP FUNCTION ${this.name} CASCADE`);
    await this.keeper.end();
  }
}
