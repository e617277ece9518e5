import { Injectable } from '@nestjs/common';
import { Stage } from '#platform/bulk/stage';
import { FRESH_PLANS } from '#platform/database/fresh-plans.sql';
import { oldestRows, PURGE_BATCH } from '#platform/database/oldest-rows.sql';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import type { DomainError } from '#platform/errors/domain-error';
import { noEmploye } from '../domain/membership.errors';
import { RENOMMAGES, RENOMMAGES_TABLE, type Tenure } from './personal-data.sql';

/** A new external identifier of an employee. */
export interface Renommage {
  readonly ancien: string;
  readonly nouveau: string;
}

/** A pair by its place in the request. */
export type PlacedRenommage = Renommage & { readonly n: number };

/** Begins an identifier by which a key goes. No request can send this character. */
const PASSAGE = String.raw`E'\x01'`;

/** Now, after all changes of before: times have milliseconds. */
const NOW = `date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'`;

/** New and former external identifiers of employees. */
@Injectable()
export class IdentifiantRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Makes `RENOMMAGES` of the pairs, and locks their employees in the order of identifiers, against references, too. In the
   * ambient transaction.
   */
  async stage(tenantId: string, pairs: readonly Renommage[]): Promise<void> {
    const client = this.transactions.client();
    const stage = new Stage(RENOMMAGES_TABLE);
    const rows = function* () {
      for (const [n, { ancien, nouveau }] of pairs.entries()) yield [n, ancien, nouveau, null, ancien];
    };
    await stage.fill(client, rows());
    await Stage.load(client, [stage]);
    await client.query(
      `WITH locked AS (
         SELECT FROM employe e WHERE e.tenant_id = $1 AND e.id_externe IN (SELECT ancien FROM ${RENOMMAGES})
         ORDER BY e.id_externe FOR UPDATE
       ) SELECT count(*) FROM locked`,
      [tenantId],
    );
    if (stage.hasMany) await client.query(FRESH_PLANS);
  }

  /** Returns the first pairs whose `ancien` is no employee, with its present identifier if it is a former one. */
  async unknown(tenantId: string, most: number): Promise<(PlacedRenommage & { actuel: string | null })[]> {
    const { rows } = await this.transactions.client().query<PlacedRenommage & { actuel: string | null }>(
      `SELECT r.n, r.ancien, r.nouveau, p.id_externe AS actuel FROM ${RENOMMAGES} r
       LEFT JOIN ancien_identifiant a ON a.tenant_id = $1 AND a.id_externe = r.ancien AND a.est_dernier
       LEFT JOIN employe p ON p.tenant_id = $1 AND p.id_unique = a.employe_id
       WHERE NOT EXISTS (SELECT FROM employe e WHERE e.tenant_id = $1 AND e.id_externe = r.ancien) ORDER BY r.n LIMIT $2`,
      [tenantId, most],
    );
    return rows;
  }

  /** Returns the first pairs whose `nouveau` is the identifier of an employee that keeps it. */
  async used(tenantId: string, most: number): Promise<PlacedRenommage[]> {
    const { rows } = await this.transactions.client().query<PlacedRenommage>(
      `SELECT r.n, r.ancien, r.nouveau FROM ${RENOMMAGES} r
       JOIN employe e ON e.tenant_id = $1 AND e.id_externe = r.nouveau
       WHERE NOT EXISTS (SELECT FROM ${RENOMMAGES} o WHERE o.ancien = r.nouveau) ORDER BY r.n LIMIT $2`,
      [tenantId, most],
    );
    return rows;
  }

  /**
   * Writes the feed and the former identifiers, and runs `work`, which gives the rows of the pairs their new ones. The
   * references may be wrong until `work` checks them.
   *
   * @returns the number of employees whose identifier is another one
   */
  async renaming(tenantId: string, work: () => Promise<void>): Promise<number> {
    const client = this.transactions.client();
    await client.query(`DELETE FROM ${RENOMMAGES} WHERE ancien = nouveau`);
    const count = await this.transactions.value<number>(`SELECT count(*)::int FROM ${RENOMMAGES}`);
    if (count === 0) return count;
    await client.query(
      `UPDATE ${RENOMMAGES} r SET passage = ${PASSAGE} || r.n, depuis = ${PASSAGE} || r.n
       WHERE EXISTS (SELECT FROM ${RENOMMAGES} o WHERE o.nouveau = r.ancien)`,
    );
    await client.query(`ANALYZE ${RENOMMAGES}`);
    await this.note(tenantId, 'Modifie');
    await this.unnoted(async () => {
      await client.query('SET CONSTRAINTS ALL DEFERRED');
      await work();
      await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    });
    return count;
  }

  /**
   * Dates the employees that `renaming` has changed again. A partner who reads what has changed since the last reading overlaps by two
   * minutes, which a longer transaction exceeds.
   */
  async date(tenantId: string): Promise<void> {
    await this.unnoted(() =>
      this.transactions.client().query(
        `UPDATE employe e SET derniere_maj = clock_timestamp() FROM ${RENOMMAGES} r
         WHERE e.tenant_id = $1 AND e.id_externe = r.nouveau`,
        [tenantId],
      ),
    );
  }

  /** Runs `work` without notes of its changes in the feed. */
  async unnoted<T>(work: () => Promise<T>): Promise<T> {
    const client = this.transactions.client();
    await client.query(`SELECT set_config('app.renommage', 'oui', true)`);
    const result = await work();
    await client.query(`SELECT set_config('app.renommage', '', true)`);
    return result;
  }

  /** Writes the pairs to the feed of changes, and who had which identifier until now. */
  async note(tenantId: string, nature: 'Modifie' | 'Fusionne'): Promise<void> {
    const client = this.transactions.client();
    const { rows } = await client.query<{ debut: string }>('SELECT left(uuidv7()::text, 27) AS debut');
    const { debut } = rows[0]!;
    await client.query(
      `WITH lot AS MATERIALIZED (SELECT changement_lot_courant($1, 'Employe') AS id)
       INSERT INTO changement (tenant_id, lot, id_unique, entite, id_externe, nature, ancien_id_externe)
       SELECT $1, lot.id, ($3 || (100000000 + row_number() OVER (ORDER BY r.n)))::uuid, 'Employe', r.nouveau, $2, r.ancien
       FROM ${RENOMMAGES} r CROSS JOIN lot`,
      [tenantId, nature, debut],
    );
    const employes = `(SELECT e.id_externe, e.id_unique FROM ${RENOMMAGES} r JOIN employe e ON e.tenant_id = $1 AND e.id_externe = r.ancien)`;
    // The change is the first of the new identifier.
    await this.giveUp(tenantId, employes, `uuid_extract_timestamp(($2 || '100000000')::uuid)`, debut);
  }

  /** Notes that an employee, who has just been deleted, had its identifier until now. */
  async giveUpOne(tenantId: string, idExterne: string, idUnique: string): Promise<void> {
    await this.giveUp(
      tenantId,
      '(SELECT $2::text AS id_externe, $3::uuid AS id_unique)',
      NOW,
      idExterne,
      idUnique,
    );
  }

  /** Does the same as `giveUpOne` for several employees. @param employes their table, with the columns `id_externe` and `id_unique` */
  async giveUpAll(tenantId: string, employes: string): Promise<void> {
    await this.giveUp(tenantId, employes, NOW);
  }

  private async giveUp(tenantId: string, employes: string, date: string, ...values: string[]): Promise<void> {
    const client = this.transactions.client();
    const sent = [tenantId, ...values];
    const used = (statement: string): unknown[] => sent.filter((_, n) => statement.includes(`$${n + 1}`));
    const last = `UPDATE ancien_identifiant a SET est_dernier = false FROM ${employes} e
      WHERE a.tenant_id = $1 AND a.id_externe = e.id_externe AND a.est_dernier`;
    await client.query(last, used(last));
    const insert = `INSERT INTO ancien_identifiant (tenant_id, id_externe, employe_id, date_creation)
      SELECT $1, e.id_externe, e.id_unique, ${date} FROM ${employes} e`;
    await client.query(insert, used(insert));
  }

  /** Unmarks the last former employee with an identifier, because the employee who has it now is about to be erased. */
  async withoutLast(tenantId: string, idExterne: string): Promise<void> {
    await this.transactions
      .client()
      .query(
        'UPDATE ancien_identifiant SET est_dernier = false WHERE tenant_id = $1 AND id_externe = $2 AND est_dernier',
        [tenantId, idExterne],
      );
  }

  /** Returns which identifiers employees had, and until when, the last first. @param employes their ids */
  async tenures(tenantId: string, employes: readonly string[]): Promise<Tenure[]> {
    const { rows } = await this.transactions.client().query<Tenure>(
      `SELECT t.id_externe AS "idExterne", t.jusqua::text, coalesce((
         SELECT max(o.date_creation) FROM ancien_identifiant o
         WHERE o.tenant_id = $1 AND o.id_externe = t.id_externe AND o.date_creation < t.jusqua), '-infinity')::text AS depuis
       FROM (
         SELECT id_externe, date_creation AS jusqua FROM ancien_identifiant WHERE tenant_id = $1 AND employe_id = ANY ($2::uuid[])
         UNION ALL SELECT id_externe, 'infinity' FROM employe WHERE tenant_id = $1 AND id_unique = ANY ($2::uuid[])
       ) t ORDER BY t.jusqua DESC`,
      [tenantId, employes],
    );
    return rows;
  }

  /** Returns the employee who had the identifier last, and its present identifier unless it was deleted. */
  async holder(
    tenantId: string,
    ancien: string,
  ): Promise<{ employeId: string; idExterne: string | null } | undefined> {
    const [row] = await this.transactions.query<{ employeId: string; idExterne: string | null }>(
      { tenantId },
      {
        name: 'ancien_identifiant',
        text: `SELECT a.employe_id AS "employeId", e.id_externe AS "idExterne" FROM ancien_identifiant a
               LEFT JOIN employe e ON e.tenant_id = $1 AND e.id_unique = a.employe_id
               WHERE a.tenant_id = $1 AND a.id_externe = $2 AND a.est_dernier`,
        values: [tenantId, ancien],
      },
    );
    return row;
  }

  /** Returns the error for an identifier that no employee has, which names the present one of a renamed employee. */
  async missing(tenantId: string, idExterne: string): Promise<DomainError> {
    return noEmploye((await this.holder(tenantId, idExterne))?.idExterne);
  }

  /** Returns the identifiers that employees had before and no employee has now. @param employes their ids */
  async formerOf(tenantId: string, employes: readonly string[]): Promise<string[]> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `SELECT DISTINCT a.id_externe AS id FROM ancien_identifiant a
       WHERE a.tenant_id = $1 AND a.employe_id = ANY ($2::uuid[])
         AND NOT EXISTS (SELECT FROM employe e WHERE e.tenant_id = $1 AND e.id_externe = a.id_externe) ORDER BY 1`,
      [tenantId, employes],
    );
    return rows.map(({ id }) => id);
  }

  /** Removes a batch of former identifiers of data spaces that are over 400 days old. @returns their number */
  async purgeExpired(spaces: readonly string[]): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(OWN_CELL, {
      name: 'ancien_identifiant_purge',
      text: `WITH removed AS (
               DELETE FROM ancien_identifiant WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM (${oldestRows('ancien_identifiant', 'id_unique', 'date_creation', '400 days')}) o
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [spaces, PURGE_BATCH],
    });
    return rows[0]?.count ?? 0;
  }
}
