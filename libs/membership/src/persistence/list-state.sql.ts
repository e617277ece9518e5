import type { ListState } from '#platform/database/json-items';
import type { Transactions } from '#platform/database/transactions';

/** Maximum number of transactions that a state names. Reading as many costs about a hundredth of a page. */
const MOST_NAMED = 100;

/**
 * The state of a tenant's lists of master data, cards and consents: the day, and the transactions that have changed what they show
 * (docs/adr/0050). A transaction that commits late changes it like any other, because it is a set and has no order.
 */
export function listState(transactions: Transactions): ListState {
  return {
    sql: `(
      SELECT CASE WHEN count(*) <= ${MOST_NAMED}
        THEN concat_ws(' ', tenant_today(), tenant_time_zone(), md5(string_agg(id_unique::text, ' ' ORDER BY id_unique))) END
      FROM (SELECT id_unique FROM etat_listes WHERE tenant_id = $1 ORDER BY id_unique LIMIT ${MOST_NAMED + 1}) named
    )`,
    // One new name takes the place of those that are committed.
    shorten: async (tenantId) => {
      const text = `WITH named AS (DELETE FROM etat_listes WHERE tenant_id = $1) INSERT INTO etat_listes (tenant_id) VALUES ($1)`;
      await transactions.run({ tenantId }, () => transactions.client().query(text, [tenantId]));
    },
  };
}
