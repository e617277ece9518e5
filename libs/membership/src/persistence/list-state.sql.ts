/**
 * SQL of the state of a tenant's lists of master data, cards and consents: the day, and the last transactions that have changed what
 * they show (docs/adr/0050). Transactions that commit late are among them, because they are a set and have no order.
 */
export const LIST_STATE = `concat_ws(' ', tenant_today(), tenant_time_zone(), (
  SELECT string_agg(id_unique::text, ' ' ORDER BY id_unique) FROM etat_listes WHERE tenant_id = $1
))`;
