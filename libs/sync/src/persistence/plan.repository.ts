import { Injectable } from '@nestjs/common';
import { CHANGEMENT_COLUMNS } from '#membership/relations';
import type { CopiedRows } from '#platform/bulk/copied-rows';
import { JsonItems, jsonText, presentMembers, wireTimestamp } from '#platform/database/json-items';
import { oldestRows, PURGE_BATCH } from '#platform/database/oldest-rows.sql';
import { OWN_CELL } from '#platform/database/scope';
import type { Tenure } from '#membership/relations';
import { Transactions } from '#platform/database/transactions';
import type { Effets } from '../domain/effets.types';
import { formsOf, rawCorps } from './corps.sql';
import { ofEmploye } from './personal-data.sql';
import { type EffetsParEmployeur, type EtatPlan, PLAN_HOURS, type VoteTouche } from '../domain/plan.types';

/** A plan to be stored. */
export interface NewPlan {
  /** Given by the database if absent. */
  readonly id?: string | undefined;
  readonly version: 'V1' | 'V2';
  readonly etat: EtatPlan;
  readonly empreinte: string;
  readonly resume: Effets;
  readonly parEmployeur: readonly EffetsParEmployeur[];
  readonly votesTouches: readonly VoteTouche[];
  readonly corps: Buffer;
  readonly changements: CopiedRows;
}

/** The part of a plan that `appliquer` needs. */
export interface StoredPlan {
  readonly version: 'V1' | 'V2';
  readonly etat: EtatPlan;
  readonly isExpired: boolean;
  readonly empreinte: string;
  readonly resume: Effets;
  /** Whether an administrator has released it from the brake. */
  readonly isReleased: boolean;
}

const EXPIRE_LE = `(date_creation + interval '${PLAN_HOURS} hours')`;
const IS_EXPIRED = `${EXPIRE_LE} <= clock_timestamp()`;
/** SQL: the plan can be applied, now or once it is released. */
const IS_OPEN = `etat IN ('Pret', 'Bloque') AND NOT (${IS_EXPIRED})`;

/** Bytes of plans that one statement of the purge removes, and those of one plan more. */
const PURGED_BYTES = 64 * 2 ** 20;

function itemsOf(transactions: Transactions, name: string, votesTouches: string): JsonItems {
  return new JsonItems(transactions, {
    name,
    table: 'plan',
    key: 'id_unique',
    columns: {
      id: 'id_unique',
      version: 'version',
      etat: `CASE WHEN etat IN ('Pret', 'Bloque') AND ${IS_EXPIRED} THEN 'Expire' ELSE etat END`,
      empreinte: 'empreinte',
      resume: 'resume',
      parEmployeur: 'par_employeur',
      votesTouches,
      dateCreation: wireTimestamp('date_creation'),
      expireLe: wireTimestamp(EXPIRE_LE),
    },
  });
}

/** Plans of syncs, in the ambient transaction. */
@Injectable()
export class PlanRepository {
  private readonly items: JsonItems;
  private readonly itemsWithoutVotes: JsonItems;
  readonly changements: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.items = itemsOf(transactions, 'plan', 'votes_touches');
    this.itemsWithoutVotes = itemsOf(transactions, 'plan_sans_votes', "'[]'::json");
    this.changements = new JsonItems(transactions, {
      name: 'plan_changement',
      table: 'plan_changement',
      order: { by: 'n', isNumber: true },
      columns: jsonText(
        presentMembers({
          entite: 'entite',
          idExterne: 'id_externe',
          idExterneEmploye: 'id_externe_employe',
          nature: 'nature',
        }),
        { champs: 'champs' },
      ),
    });
  }

  /** The plans as clients see them. @param showsVotes whether the caller may read campaigns */
  itemsFor(showsVotes: boolean): JsonItems {
    return showsVotes ? this.items : this.itemsWithoutVotes;
  }

  /**
   * Makes room for one more plan: removes the oldest that the brake stops, and the oldest that cannot be applied any more.
   *
   * @param most maximum number of plans of each of the three kinds: those, and the ones that can be applied
   * @param mostBytes of each kind
   * @returns false if as many can be applied already
   */
  async makeRoom(tenantId: string, most: number, mostBytes: number): Promise<boolean> {
    const { rows } = await this.transactions.client().query<{ isFull: boolean }>(
      `WITH counted AS (
         SELECT id_unique, kind, row_number() OVER kinds AS place, sum(octets) OVER kinds AS bytes
         FROM (SELECT *, CASE WHEN ${IS_OPEN} THEN etat END AS kind FROM plan WHERE tenant_id = $1) p
         WINDOW kinds AS (PARTITION BY kind ORDER BY date_creation DESC)
       ), beyond AS (SELECT * FROM counted WHERE place >= $2 OR bytes > $3), removed AS (
         DELETE FROM plan WHERE tenant_id = $1 AND id_unique IN (
           SELECT id_unique FROM beyond WHERE kind IS DISTINCT FROM 'Pret')
       )
       SELECT EXISTS (SELECT FROM beyond WHERE kind = 'Pret') AS "isFull"`,
      [tenantId, most, mostBytes],
    );
    return !rows[0]!.isFull;
  }

  /** Stores a plan with its changes. @returns its id */
  async insert(tenantId: string, plan: NewPlan): Promise<string> {
    const client = this.transactions.client();
    const id = await this.transactions.value<string>(
      `INSERT INTO plan (tenant_id, version, etat, empreinte, resume, par_employeur, votes_touches, corps, octets, id_unique)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, uuidv7())) RETURNING id_unique`,
      [
        tenantId,
        plan.version,
        plan.etat,
        plan.empreinte,
        JSON.stringify(plan.resume),
        JSON.stringify(plan.parEmployeur),
        JSON.stringify(plan.votesTouches),
        plan.corps,
        plan.corps.length + plan.changements.bytes,
        plan.id,
      ],
    );
    await client.query(`CREATE TEMPORARY TABLE stage_plan_changement (${CHANGEMENT_COLUMNS}) ON COMMIT DROP`);
    await plan.changements.into(client, 'stage_plan_changement');
    await client.query(
      `INSERT INTO plan_changement (tenant_id, plan_id, n, entite, id_externe, id_externe_employe, nature, champs)
       SELECT $1, $2, s.* FROM stage_plan_changement s`,
      [tenantId, id],
    );
    return id;
  }

  /** Locks a plan until the transaction ends. */
  async lock(tenantId: string, id: string): Promise<StoredPlan | undefined> {
    const { rows } = await this.transactions.client().query<StoredPlan>(
      `SELECT version, etat, ${IS_EXPIRED} AS "isExpired", empreinte, resume, raison IS NOT NULL AS "isReleased" FROM plan
       WHERE tenant_id = $1 AND id_unique = $2 FOR NO KEY UPDATE`,
      [tenantId, id],
    );
    return rows[0];
  }

  async corps(tenantId: string, id: string): Promise<Buffer> {
    const { rows } = await this.transactions
      .client()
      .query<{ corps: Buffer }>(rawCorps('plan', tenantId, id));
    return rows[0]!.corps;
  }

  /** Ends a plan, and forgets its body. */
  async end(tenantId: string, id: string, etat: 'Applique' | 'Perime'): Promise<void> {
    await this.transactions
      .client()
      .query('UPDATE plan SET etat = $3, corps = NULL WHERE tenant_id = $1 AND id_unique = $2', [
        tenantId,
        id,
        etat,
      ]);
  }

  /** Lets a plan that the brake has stopped be applied. */
  async release(tenantId: string, id: string, raison: string): Promise<void> {
    await this.transactions
      .client()
      .query(`UPDATE plan SET etat = 'Pret', raison = $3 WHERE tenant_id = $1 AND id_unique = $2`, [
        tenantId,
        id,
        raison,
      ]);
  }

  /** Removes the plans whose body or changes contain the identifier of an employee, who had it then. */
  async forget(tenantId: string, { idExterne, depuis, jusqua }: Tenure): Promise<void> {
    await this.transactions.client().query(
      `DELETE FROM plan p WHERE tenant_id = $1 AND corps IS NOT NULL AND date_creation >= $4 AND date_creation < $5 AND (
         EXISTS (SELECT FROM unnest($2::bytea[]) form WHERE position(form IN corps) > 0)
         OR EXISTS (SELECT FROM plan_changement c WHERE c.tenant_id = $1 AND c.plan_id = p.id_unique AND ${ofEmploye('$3')}))`,
      [tenantId, formsOf(idExterne), idExterne, depuis, jusqua],
    );
  }

  /** @returns false if there is none */
  async remove(tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.transactions
      .client()
      .query('DELETE FROM plan WHERE tenant_id = $1 AND id_unique = $2', [tenantId, id]);
    return rowCount === 1;
  }

  /** Removes a batch of plans of data spaces that are older than `PLAN_HOURS`. @returns their number */
  async purgeExpired(spaces: readonly string[]): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(OWN_CELL, {
      name: 'plan_purge',
      text: `WITH removed AS (
               DELETE FROM plan WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM (
                   SELECT tenant_id, id_unique, octets, sum(octets) OVER (ORDER BY place, id_unique) AS total
                   FROM (${oldestRows('plan', 'id_unique, octets', 'date_creation', `${PLAN_HOURS} hours`)}) o
                 ) counted WHERE total - octets < $3
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [spaces, PURGE_BATCH, PURGED_BYTES],
    });
    return rows[0]?.count ?? 0;
  }
}
