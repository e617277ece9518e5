import { Injectable } from '@nestjs/common';
import { JsonItems, type Page, type Position, wireTimestamp } from '#platform/database/json-items';
import { PublishedFeed } from '#platform/database/published-feed';
import { oldestRows, PURGE_BATCH } from '#platform/database/oldest-rows.sql';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { EVENT_DATE } from './webhook.sql';

/** A tenant's events. */
@Injectable()
export class EvenementQuery {
  readonly feed: PublishedFeed;
  private readonly items: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.feed = new PublishedFeed(transactions, 'evenement');
    this.items = new JsonItems(transactions, {
      name: 'evenement',
      table: 'evenement',
      order: { by: 'date_publication' },
      columns: {
        id: 'id_unique',
        type: 'type',
        timestamp: wireTimestamp(EVENT_DATE),
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

  /** Removes a batch of events of data spaces older than 30 days with their deliveries. @returns their number */
  async purgeExpired(spaces: readonly string[]): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(OWN_CELL, {
      name: 'evenement_purge',
      text: `WITH removed AS (
               DELETE FROM evenement WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM (${oldestRows('evenement', 'id_unique', 'date_creation', '30 days')}) o
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [spaces, PURGE_BATCH],
    });
    return rows[0]?.count ?? 0;
  }
}
