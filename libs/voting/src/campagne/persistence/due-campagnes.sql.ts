/** Campaigns that are looked for at once. */
const MOST_DUE = 100;

/**
 * Campaigns of all tenants under a condition, without those of the array $1: the first of each tenant by a date, then the second of
 * each, so the limit hides no tenant.
 *
 * @param condition on columns of `campagne`
 */
export function dueCampagnes(condition: string, date = 'fermeture_du_vote_utc'): string {
  return `SELECT "tenantId", id FROM (
      SELECT tenant_id AS "tenantId", id_unique AS id, ${date} AS due,
        row_number() OVER (PARTITION BY tenant_id ORDER BY ${date}, id_unique) AS place
      FROM campagne WHERE ${condition} AND NOT EXISTS (SELECT FROM unnest($1::uuid[]) x (id) WHERE x.id = id_unique)
    ) c ORDER BY place, due LIMIT ${MOST_DUE}`;
}
