import { Injectable } from '@nestjs/common';
import type { FetchPage } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { namesOf, snakeCase } from '#platform/input/field';
import { type EmployeRecord, PERSONNE_FIELDS } from '../domain/employe.fields';
import { MOST_MEMBERSHIPS } from '../domain/employe-v2.fields';
import { tooManyMemberships } from '../domain/membership.errors';
import type { ValeurV2 } from '../domain/valeur-champ';
import { activeOn, dayOf, hasEnded, hasNotEnded, TODAY } from './days.sql';
import { IdentifiantRepository } from './identifiant.repository';

/** SQL of the day of a signature at `$4`. */
const SIGNED_ON = `(${dayOf('$4::timestamptz')})`;

/**
 * SQL: a membership is not active on the day of the signature, and the signature makes it ongoing. A membership that is over
 * by now and had not ended at the signature stays, because an old card does not renew it.
 */
const BECOMES_ONGOING = `NOT (${activeOn(SIGNED_ON, 'm.', 'date_adhesion')})
  AND (${hasEnded(SIGNED_ON, 'm.')} OR ${hasNotEnded(TODAY, 'm.')})`;

/** Columns of a new employee. */
const NEW_MEMBER = ['idExterne', ...namesOf(PERSONNE_FIELDS)] as const;

/** Identifiers of an employee, for rows that refer to it. */
export interface Member {
  readonly idExterne: string;
  readonly idUnique: string;
  readonly noMembre: string | null;
}

/** Operations of other contexts on employees who sign, and their memberships, in the ambient transaction. */
@Injectable()
export class MemberRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly identifiants: IdentifiantRepository,
  ) {}

  /**
   * Returns the employee, locked against deletion until the transaction ends.
   *
   * @param alone also prevents other transactions from referring to the employee, such as another signing
   */
  async hold(tenantId: string, idExterne: string, alone = false): Promise<Member | undefined> {
    const { rows } = await this.transactions.client().query<Member>(
      `SELECT id_externe AS "idExterne", id_unique AS "idUnique", no_membre AS "noMembre"
       FROM employe WHERE tenant_id = $1 AND id_externe = $2 FOR ${alone ? 'UPDATE' : 'KEY SHARE'}`,
      [tenantId, idExterne],
    );
    return rows[0];
  }

  exists(tenantId: string, idExterne: string): Promise<boolean> {
    return this.has('employe', tenantId, idExterne);
  }

  /** @throws DomainError `Employe.NotFound`, which names the present identifier of a renamed employee */
  async assertExists(tenantId: string, idExterne: string): Promise<void> {
    if (!(await this.exists(tenantId, idExterne))) throw await this.identifiants.missing(tenantId, idExterne);
  }

  knowsSyndicat(tenantId: string, idExterne: string): Promise<boolean> {
    return this.has('syndicat', tenantId, idExterne);
  }

  private async has(table: 'employe' | 'syndicat', tenantId: string, idExterne: string): Promise<boolean> {
    const rows = await this.transactions.query(
      { tenantId },
      {
        name: `${table}_exists`,
        text: `SELECT FROM ${table} WHERE tenant_id = $1 AND id_externe = $2`,
        values: [tenantId, idExterne],
      },
    );
    return rows.length > 0;
  }

  /** Returns a list about an employee. Reading it throws `Employe.NotFound` if it is empty and there is no such employee. */
  listOfKnown(tenantId: string, idExterne: string, list: FetchPage): FetchPage {
    const fetch: FetchPage = async (after, limit) => {
      const page = await list(after, limit);
      if (page.items.length === 0) await this.assertExists(tenantId, idExterne);
      return page;
    };
    return Object.assign(fetch, list.state && { state: list.state });
  }

  /**
   * Returns the employee of this identifier unchanged, or creates one from the record with these custom values.
   *
   * @param idExterne the next free identifier of the form `M-000001` if absent
   * @param valeurs values whose field has changed are left out
   */
  async findOrMake(
    tenantId: string,
    idExterne: string | undefined,
    record: Omit<EmployeRecord, 'idExterne'>,
    valeurs: readonly ValeurV2[],
  ): Promise<Member> {
    for (;;) {
      const id = idExterne ?? (await this.nextNumber(tenantId));
      if (await this.insert(tenantId, { ...record, idExterne: id })) {
        await this.insertValeurs(tenantId, id, valeurs);
        return (await this.hold(tenantId, id))!;
      }
      // The employee exists unless it was just deleted. A number that another request took is not free: try the next one.
      const known = idExterne === undefined ? undefined : await this.hold(tenantId, id);
      if (known) return known;
    }
  }

  /**
   * Returns the next free number after the last one given. A number is given once, because the number of a deleted employee
   * must not mean another person. The row of the counter is locked until the transaction ends.
   */
  private async nextNumber(tenantId: string): Promise<string> {
    const client = this.transactions.client();
    await client.query(
      `INSERT INTO numero_membre AS n (tenant_id, dernier) VALUES ($1, 0)
       ON CONFLICT (tenant_id) DO UPDATE SET dernier = n.dernier`,
      [tenantId],
    );
    // A second statement sees the writes of the transaction that had locked the row before.
    const { rows } = await client.query<{ idExterne: string }>(
      `WITH RECURSIVE tried (number, id_externe) AS (
         SELECT dernier + 1, ${numbered('dernier + 1')} FROM numero_membre WHERE tenant_id = $1
         UNION ALL
         SELECT number + 1, ${numbered('number + 1')} FROM tried
         WHERE EXISTS (SELECT FROM employe e WHERE e.tenant_id = $1 AND e.id_externe = tried.id_externe)
       ), free AS (SELECT number, id_externe FROM tried ORDER BY number DESC LIMIT 1)
       UPDATE numero_membre n SET dernier = free.number FROM free WHERE n.tenant_id = $1
       RETURNING free.id_externe AS "idExterne"`,
      [tenantId],
    );
    return rows[0]!.idExterne;
  }

  /** Adds the employee unless the identifier is used. */
  private async insert(tenantId: string, record: EmployeRecord): Promise<boolean> {
    const columns = NEW_MEMBER.map(snakeCase).join(', ');
    const values = NEW_MEMBER.map((_, index) => `$${index + 2}`).join(', ');
    const { rowCount } = await this.transactions
      .client()
      .query(
        `INSERT INTO employe (tenant_id, ${columns}) VALUES ($1, ${values}) ON CONFLICT (tenant_id, id_externe) DO NOTHING`,
        [tenantId, ...NEW_MEMBER.map((name) => record[name])],
      );
    return rowCount === 1;
  }

  /** Adds custom values of an employee without any. Leaves out values that their field no longer allows. */
  private async insertValeurs(
    tenantId: string,
    idExterne: string,
    valeurs: readonly ValeurV2[],
  ): Promise<void> {
    if (valeurs.length === 0) return;
    await this.transactions.client().query(
      `INSERT INTO valeur_champ_employe
         (tenant_id, id_externe_employe, nom_champ, type, valeur_texte, valeur_date, valeur_booleen, id_externe_choix)
       SELECT $1, $2, v.nom, v.type, CASE v.type WHEN 'texte' THEN v.valeur END,
         CASE v.type WHEN 'date' THEN v.valeur::timestamptz END, CASE v.type WHEN 'booleen' THEN v.valeur::boolean END,
         v."idExterneChoix"
       FROM json_to_recordset($3) v (type text, nom text, valeur text, "idExterneChoix" text)
       JOIN champ_utilisateur f ON f.tenant_id = $1 AND f.nom = v.nom AND f.type = v.type
       WHERE v.type <> 'choix' OR EXISTS (
         SELECT FROM choix_champ c WHERE c.tenant_id = $1 AND c.nom_champ = v.nom AND c.id_externe = v."idExterneChoix"
       )`,
      [tenantId, idExterne, JSON.stringify(valeurs)],
    );
  }

  /**
   * Makes the employee a member of the union on the day of a signature: a membership that is missing, has ended or begins
   * later becomes ongoing from then. Locks the employee before a new membership, as syncs do, because they could otherwise
   * deadlock.
   *
   * @throws DomainError `Requete.Invalide` for an employee with too many memberships
   */
  async ensureMembership(tenantId: string, idExterne: string, syndicat: string, since: Date): Promise<void> {
    const client = this.transactions.client();
    const values = [tenantId, idExterne, syndicat, since];
    const { rows } = await client.query<{ count: number; becomesOngoing: boolean | null }>(
      `SELECT count(*)::int AS count,
         bool_or(${BECOMES_ONGOING}) FILTER (WHERE syndicat_id_externe = $3) AS "becomesOngoing"
       FROM membership m WHERE tenant_id = $1 AND id_externe_employe = $2`,
      values,
    );
    const { count, becomesOngoing } = rows[0]!;
    if (becomesOngoing === false) return;
    if (becomesOngoing === null) {
      if (count >= MOST_MEMBERSHIPS) throw tooManyMemberships(MOST_MEMBERSHIPS);
      await client.query('SELECT FROM employe WHERE tenant_id = $1 AND id_externe = $2 FOR NO KEY UPDATE', [
        tenantId,
        idExterne,
      ]);
    }
    await client.query(
      `WITH made AS (
         INSERT INTO membership AS m (tenant_id, id_externe_employe, syndicat_id_externe, date_adhesion)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant_id, id_externe_employe, syndicat_id_externe)
           DO UPDATE SET date_adhesion = excluded.date_adhesion, date_fin = NULL WHERE ${BECOMES_ONGOING}
         RETURNING id_externe_employe
       )
       UPDATE employe SET derniere_maj = clock_timestamp()
       WHERE tenant_id = $1 AND id_externe = (SELECT id_externe_employe FROM made)`,
      values,
    );
  }
}

/** SQL of a number as an identifier: `M-000001`; longer once six digits are used up. */
function numbered(number: string): string {
  return `'M-' || lpad((${number})::text, greatest(6, length((${number})::text)), '0')`;
}
