import type { Page, Position } from './json-items';
import type { Transactions } from './transactions';

/** Maximum rows that one statement publishes. */
const BATCH = 5_000;

/** The first position of a feed. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** A feed for one request. */
export interface FeedReading {
  /** The last position that it reads; undefined for an empty feed. */
  readonly until: Position | undefined;
  fetch(after: Position | undefined, limit: number): Promise<Page>;
}

/** Reads a page of the rows up to a position. */
export type FeedPage = (until: Position, after: Position | undefined, limit: number) => Promise<Page>;

/**
 * The order of a tenant's feed. A read publishes committed rows: it gives them positions after all earlier ones. A client
 * that continues after the last row it has read gets every row, even one that is committed late.
 */
export class PublishedFeed {
  /** @param table has `tenant_id`, `id_unique`, `date_creation` and `date_publication`, which is null until a read */
  constructor(
    private readonly transactions: Transactions,
    private readonly table: string,
  ) {}

  /**
   * Opens the feed for one request. It includes every row committed by now.
   *
   * @param wanted maximum number of items; all if absent
   */
  async open(tenantId: string, wanted: number | undefined, page: FeedPage): Promise<FeedReading> {
    let mayBeMore = await this.publish(tenantId);
    while (mayBeMore && !wanted) mayBeMore = await this.publish(tenantId);
    let until = await this.last(tenantId);
    return {
      until,
      fetch: async (after, limit) => {
        for (;;) {
          const found = until ? await page(until, after, limit) : { items: [] };
          if (found.next || !mayBeMore) return found;
          // Publishes a backlog as far as the page needs it, because an empty page must mean that there is nothing new.
          mayBeMore = await this.publish(tenantId);
          until = await this.last(tenantId);
        }
      },
    };
  }

  /** Publishes a batch of the oldest rows without a position. @returns whether there may be more */
  private async publish(tenantId: string): Promise<boolean> {
    const [waiting] = await this.transactions.query<{ id: string }>(
      { tenantId },
      {
        name: `${this.table}_waiting`,
        text: `SELECT id_unique AS id FROM ${this.table} WHERE tenant_id = $1 AND date_publication IS NULL
               ORDER BY date_creation, id_unique LIMIT 1`,
        values: [tenantId],
      },
    );
    if (!waiting) return false;
    return this.transactions.run({ tenantId }, async () => {
      // One transaction at a time, because positions must increase in the order of commits.
      await this.transactions.lockByName(`feed ${tenantId}`);
      const { rowCount } = await this.transactions.client().query({
        name: `${this.table}_publish`,
        text: `WITH place AS MATERIALIZED (
                 SELECT greatest(date_trunc('milliseconds', clock_timestamp()), (
                   SELECT date_publication + interval '1 millisecond' FROM ${this.table}
                   WHERE tenant_id = $1 AND date_publication IS NOT NULL ORDER BY date_publication DESC LIMIT 1
                 )) AS date
               ), waiting AS MATERIALIZED (
                 SELECT id_unique, row_number() OVER (ORDER BY date_creation, id_unique) - 1 AS number FROM ${this.table}
                 WHERE tenant_id = $1 AND date_publication IS NULL
                 ORDER BY date_creation, id_unique LIMIT $2
               )
               UPDATE ${this.table} e SET date_publication = place.date + number * interval '1 millisecond'
               FROM waiting, place
               WHERE e.tenant_id = $1 AND e.id_unique = waiting.id_unique`,
        values: [tenantId, BATCH],
      });
      return rowCount === BATCH;
    });
  }

  /** Returns the last position of the feed; undefined for an empty feed. */
  private async last(tenantId: string): Promise<Position | undefined> {
    const [row] = await this.transactions.query<Position>(
      { tenantId },
      {
        name: `${this.table}_last`,
        text: `SELECT date_publication AS date, id_unique AS id FROM ${this.table}
               WHERE tenant_id = $1 AND (date_publication, id_unique) > ('-infinity', '${NIL}')
               ORDER BY date_publication DESC, id_unique DESC LIMIT 1`,
        values: [tenantId],
      },
    );
    return row;
  }
}
