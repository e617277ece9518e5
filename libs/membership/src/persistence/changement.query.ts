import { Injectable } from '@nestjs/common';
import {
  jsonText,
  type Page,
  PAGE_BYTES,
  type Position,
  presentMembers,
  wireTimestamp,
} from '#platform/database/json-items';
import { IN_ORDER } from '#platform/database/entered-query';
import type { Statement } from '#platform/database/one-trip';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { PublishedFeed } from '#platform/database/published-feed';
import { ENTITES, type Origine } from '../domain/changement.fields';

/** Positions in a transaction's changes, before the first and after the last. */
const FIRST = '00000000-0000-0000-0000-000000000000';
export const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const ITEM = jsonText(
  presentMembers({
    id: 'c.id_unique',
    entite: 'c.entite',
    idExterne: 'c.id_externe',
    idExterneEmploye: 'c.id_externe_employe',
    ancienIdExterne: 'c.ancien_id_externe',
    nature: 'c.nature',
    date: wireTimestamp('c.date_creation'),
    origine: 'c.origine',
    syncId: 'c.sync_id',
  }),
);

type Entite = (typeof ENTITES)[number];

/** The statement of a page: of one kind, whose transactions have an index, or of all. */
function pageOf(entite?: Entite): Pick<Statement, 'name' | 'text'> {
  const [ofLot, ofChange] = entite
    ? [` AND '${entite}' = ANY (entites)`, ` AND c.entite = '${entite}'`]
    : ['', ''];
  return {
    name: `changement_page_${entite ?? ''}`,
    // One item more than the page has shows whether there are more.
    text: `SELECT item, date, id, more FROM (
           SELECT item, date, id, row_number() OVER w AS number, lead(true, 1, false) OVER w AS more,
             sum(octet_length(item)) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
           FROM (SELECT ${ITEM} AS item, c.date_publication AS date, c.id_unique AS id
           FROM (
             SELECT l.date_publication, l.date_creation, l.origine, l.sync_id, c.*
             FROM (
               SELECT * FROM changement_lot WHERE tenant_id = $1 AND date_publication >= $3 AND date_publication <= $4${ofLot}
               ORDER BY date_publication
             ) l CROSS JOIN LATERAL (
               SELECT * FROM changement c
               WHERE c.tenant_id = $1 AND c.lot = l.id_unique${ofChange}
                 AND c.id_unique > CASE WHEN l.date_publication = $3 THEN $5::uuid ELSE '${FIRST}' END
               ORDER BY c.id_unique LIMIT $2
             ) c
             ORDER BY l.date_publication, c.id_unique LIMIT $2
           ) c) t WINDOW w AS (ORDER BY date, id)
         ) s WHERE number < $2 AND coalesce(before, 0) < ${PAGE_BYTES} ORDER BY date, id`,
  };
}

const PAGES = Object.fromEntries([['all', pageOf()], ...ENTITES.map((one) => [one, pageOf(one)])]) as Record<
  Entite | 'all',
  Pick<Statement, 'name' | 'text'>
>;

/**
 * The changes to a tenant's master data, which triggers write (docs/adr/0034). The changes of one transaction have one
 * position in the feed, and follow each other in it.
 */
@Injectable()
export class ChangementQuery {
  readonly feed: PublishedFeed;

  constructor(private readonly transactions: Transactions) {
    this.feed = new PublishedFeed(transactions, 'changement_lot');
  }

  /** Says how the changes of the ambient transaction come about; call it before the first. Otherwise they are the API's. */
  async originate(origine: Origine, syncId = ''): Promise<void> {
    await this.transactions
      .client()
      .query(`SELECT set_config('app.origine', $1, true), set_config('app.sync_id', $2, true)`, [
        origine,
        syncId,
      ]);
  }

  /**
   * Returns at most `limit` changes. The page ends earlier with the item that makes it `PAGE_BYTES` long.
   *
   * @param entite only changes of this kind; all if absent
   * @param until the last position to read
   */
  async page(
    tenantId: string,
    entite: Entite | null | undefined,
    until: Position,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    const rows = await this.transactions.query<Position & { item: string; more: boolean }>(
      { tenantId },
      {
        ...PAGES[entite ?? 'all'],
        values: [tenantId, limit + 1, after?.date ?? '-infinity', until.date, after?.id ?? FIRST],
      },
      [IN_ORDER],
    );
    const items = rows.map(({ item }) => item);
    const end = rows.at(-1);
    // All up to the end was read, so the next request need not read again what the filter left out.
    if (!end?.more) return { items, last: { date: until.date, id: LAST } };
    const { date, id } = end;
    return { items, last: { date, id }, next: { date, id } };
  }

  /** Makes the tables of this month and the next twelve. */
  async makeMonths(): Promise<void> {
    await this.transactions.execute(OWN_CELL, { text: 'SELECT changement_mois()', values: [] });
  }

  /** Drops the months of which all changes are over 400 days old. @returns the number of tables */
  async dropMonths(): Promise<number> {
    const text = 'SELECT changement_mois_passes() AS count';
    const [row] = await this.transactions.execute<{ count: number }>(OWN_CELL, { text, values: [] });
    return row!.count;
  }
}
