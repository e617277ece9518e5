import { Injectable } from '@nestjs/common';
import { JsonItems, type Page, type Position, wireTimestamp } from '#platform/database/json-items';
import { ADMINISTRATION, PURGE_BATCH, Transactions } from '#platform/database/transactions';

/** Maximum events that one statement publishes. */
const BATCH = 5_000;

/** The first position of the feed. */
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * The feed of a tenant's events. A read publishes committed events: it gives them positions after all earlier ones. A client
 * that continues after the last event it has read gets every event, even one that is committed late.
 */
@Injectable()
export class EvenementQuery {
  private readonly items: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'evenement',
      table: 'evenement',
      order: { by: 'date_publication' },
      columns: {
        id: 'id_unique',
        type: 'type',
        timestamp: wireTimestamp('date_creation'),
        data: 'data',
      },
    });
  }

  /**
   * Returns events in the order of the feed.
   *
   * @param types only these; all if absent
   * @param until the last position to read
   */
  page(
    tenantId: string,
    types: readonly string[] | undefined,
    until: Position,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    const [type] = types ?? [];
    return this.items.page(tenantId, after, limit, [
      { sql: 'date_publication <= ?', value: until.date },
      { sql: 'type = ?', value: types?.length === 1 ? type : undefined },
      { sql: 'type = ANY (?::text[])', value: types && types.length !== 1 ? types : undefined },
    ]);
  }

  /**
   * Publishes a batch of the oldest events without a position.
   *
   * @returns whether there may be more
   */
  async publish(tenantId: string): Promise<boolean> {
    const [waiting] = await this.transactions.query<{ id: string }>(
      { tenantId },
      {
        name: 'evenement_waiting',
        text: `SELECT id_unique AS id FROM evenement WHERE tenant_id = $1 AND date_publication IS NULL
               ORDER BY date_creation, id_unique LIMIT 1`,
        values: [tenantId],
      },
    );
    if (!waiting) return false;
    return this.transactions.run({ tenantId }, async () => {
      // One transaction at a time, because positions must increase in the order of commits.
      await this.transactions.lockByName(`feed ${tenantId}`);
      const { rowCount } = await this.transactions.client().query({
        name: 'evenement_publish',
        text: `WITH place AS MATERIALIZED (
                 SELECT greatest(date_trunc('milliseconds', clock_timestamp()), (
                   SELECT date_publication + interval '1 millisecond' FROM evenement
                   WHERE tenant_id = $1 AND date_publication IS NOT NULL ORDER BY date_publication DESC LIMIT 1
                 )) AS date
               ), waiting AS MATERIALIZED (
                 SELECT id_unique, row_number() OVER (ORDER BY date_creation, id_unique) - 1 AS number FROM evenement
                 WHERE tenant_id = $1 AND date_publication IS NULL
                 ORDER BY date_creation, id_unique LIMIT $2
               )
               UPDATE evenement e SET date_publication = place.date + number * interval '1 millisecond'
               FROM waiting, place
               WHERE e.tenant_id = $1 AND e.id_unique = waiting.id_unique`,
        values: [tenantId, BATCH],
      });
      return rowCount === BATCH;
    });
  }

  /** Returns the last position of the feed; undefined for an empty feed. */
  async last(tenantId: string): Promise<Position | undefined> {
    const [row] = await this.transactions.query<Position>(
      { tenantId },
      {
        name: 'evenement_last',
        text: `SELECT date_publication AS date, id_unique AS id FROM evenement
               WHERE tenant_id = $1 AND (date_publication, id_unique) > ('-infinity', '${NIL}')
               ORDER BY date_publication DESC, id_unique DESC LIMIT 1`,
        values: [tenantId],
      },
    );
    return row;
  }

  /** Removes a batch of events older than 30 days with their deliveries, of all tenants. @returns their number */
  async purgeExpired(): Promise<number> {
    const rows = await this.transactions.query<{ count: number }>(ADMINISTRATION, {
      name: 'evenement_purge',
      text: `WITH removed AS (
               DELETE FROM evenement WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM evenement WHERE date_creation < now() - interval '30 days'
                 ORDER BY date_creation LIMIT $1
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [PURGE_BATCH],
    });
    return rows[0]?.count ?? 0;
  }
}
