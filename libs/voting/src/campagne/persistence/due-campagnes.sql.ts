import { HORLOGES } from '#clients/relations';

/** Campaigns that are looked for at once. */
const MOST_DUE = 100;

/**
 * Campaigns of all tenants under a condition, without those of the array $1: the first of each tenant by a date, then the second of
 * each, so the limit hides no tenant.
 *
 * @param condition on columns of `campagne`
 */
export function dueCampagnes(condition: string, date = 'fermeture_du_vote_utc'): string {
  return firstOfEach(campagnes(condition, date));
}

/** Like `dueCampagnes`, under a condition at the time that the clock of each tenant shows. @param condition at an SQL moment */
export function dueByClock(condition: (now: string) => string, date?: string): string {
  return firstOfEach(atClocks(condition, date));
}

/** The campaigns of all tenants under a condition at the time of each: the rehearsals are few, and their clocks ahead. */
export function atClocks(condition: (now: string) => string, date = 'fermeture_du_vote_utc'): string {
  const ahead = `campagne JOIN ${HORLOGES} h USING (tenant_id)`;
  return `${campagnes(condition('now()'), date)} UNION ${campagnes(condition('now() + h.decalage'), date, ahead)}`;
}

const campagnes = (condition: string, date: string, from = 'campagne'): string =>
  `SELECT tenant_id, id_unique, ${date} AS due FROM ${from} WHERE ${condition}`;

function firstOfEach(due: string): string {
  return `SELECT "tenantId", id FROM (
      SELECT tenant_id AS "tenantId", id_unique AS id, due,
        row_number() OVER (PARTITION BY tenant_id ORDER BY due, id_unique) AS place
      FROM (${due}) d WHERE NOT EXISTS (SELECT FROM unnest($1::uuid[]) x (id) WHERE x.id = id_unique)
    ) c ORDER BY place, due LIMIT ${MOST_DUE}`;
}
