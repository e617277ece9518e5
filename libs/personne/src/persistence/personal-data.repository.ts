import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import { HELD, type Person } from './held';

/** Matches a person without an identifier: same names and same address, ignoring case. */
const NAMES = 'lower(nom), lower(prenom)';
const IDENTITY = `${NAMES}, lower(courriel)`;

const IDENTITIES = `
  SELECT ${IDENTITY} FROM employe WHERE tenant_id = $1 AND id_externe = $2
  UNION SELECT ${IDENTITY} FROM adhesion WHERE tenant_id = $1 AND id_externe_employe = $2
  UNION SELECT ${IDENTITY} FROM demande_adhesion WHERE tenant_id = $1 AND id_externe_employe = $2
  UNION SELECT ${IDENTITY} FROM votant WHERE tenant_id = $1 AND employe_id_externe = $2`;

/** The class of advisory locks under which ballot boxes are sealed. */
const SEALING = 4;

/** A text as the JSON of others may have it: a body is kept as it was sent, and need not even be JSON. */
function formsOf(text: string): Buffer[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const escaped = plain.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const shouted = escaped.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const forms = [plain, escaped, shouted].flatMap((form) => [form, form.replaceAll('/', '\\/')]);
  return [...new Set(forms)].map((form) => Buffer.from(form));
}

/** All that is held about one person, in the ambient transaction. */
@Injectable()
export class PersonalDataRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * The person who is this employee, held until the transaction ends with cards and requests. Cards are the employee's;
   * requests and voters are those tied to the employee, and those tied to nobody that bear the person's names and address,
   * or, of voters, the names and the identifier or member number.
   */
  async find(tenantId: string, idExterne: string): Promise<Person | undefined> {
    const employe = await this.ids(
      'SELECT id_unique AS id FROM employe WHERE tenant_id = $1 AND id_externe = $2 FOR UPDATE',
      [tenantId, idExterne],
    );
    const [idUnique] = employe;
    if (!idUnique) return undefined;
    const values = [tenantId, idExterne];
    const adhesions = await this.ids(
      'SELECT id_unique AS id FROM adhesion WHERE tenant_id = $1 AND id_externe_employe = $2 ORDER BY id_unique FOR UPDATE',
      values,
    );
    const demandes = await this.ids(
      `SELECT id_unique AS id FROM demande_adhesion WHERE tenant_id = $1 AND (id_externe_employe = $2
         OR id_externe_employe IS NULL AND (employe_id_externe_envoye = $2 OR (${IDENTITY}) IN (${IDENTITIES})))
       ORDER BY id_unique FOR UPDATE`,
      values,
    );
    const votants = await this.ids(
      `SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND employe_id_externe = $2
       UNION ALL
       SELECT id_unique FROM votant WHERE tenant_id = $1 AND employe_id_externe IS NULL
         AND ((${IDENTITY}) IN (${IDENTITIES}) OR identifiant IN (
             SELECT id_externe FROM employe WHERE tenant_id = $1 AND id_externe = $2
             UNION SELECT no_membre FROM employe WHERE tenant_id = $1 AND id_externe = $2
           ) AND (${NAMES}) IN (SELECT ${NAMES} FROM employe WHERE tenant_id = $1 AND id_externe = $2))`,
      values,
    );
    const ids = [idUnique, ...adhesions, ...demandes, ...votants];
    return {
      tenantId,
      idExterne,
      idUrl: encodeURIComponent(idExterne),
      idUnique,
      adhesions,
      demandes,
      votants,
      ids,
    };
  }

  /** Rows about the person by section, the oldest first, each as it is stored, with the names of its columns as on the wire. */
  async read(person: Person): Promise<Record<string, Record<string, unknown>[]>> {
    const sections: Record<string, Record<string, unknown>[]> = {};
    // Whatever was read before the audit trail: it may tell of any of it.
    const ids = new Set(person.ids);
    for (const { section, table, where, shown } of HELD) {
      const others = Object.entries(shown ?? {}).map(([column, sql]) => `'${column}', ${sql}`);
      const row = `to_jsonb(t) - 'tenant_id'${others.length > 0 ? ` || jsonb_build_object(${others.join(', ')})` : ''}`;
      const rows = await this.run<{ row: Record<string, unknown> }>(
        `SELECT ${row} AS row FROM ${table} t WHERE tenant_id = :tenantId AND ${where}
         ORDER BY to_jsonb(t) ->> 'date_creation', to_jsonb(t) ->> 'id_unique'`,
        { ...person, ids: [...ids] },
      );
      for (const { row } of rows) if (typeof row.id_unique === 'string') ids.add(row.id_unique);
      sections[section] = rows.map((one) => one.row);
    }
    return sections;
  }

  /** Whether the person is a voter of a campaign whose box is not closed yet; an answer of false holds its campaigns. */
  async isVoterOfOpenBox({ tenantId, votants }: Person): Promise<boolean> {
    const { rows } = await this.transactions.client().query<{ isOpen: boolean }>(
      `SELECT c.publiee AND NOT c.archivee AND NOT c.urne_close AS "isOpen" FROM campagne c
       WHERE c.tenant_id = $1 AND c.id_unique IN (
         SELECT v.campagne_id FROM votant v WHERE v.tenant_id = $1 AND v.id_unique = ANY ($2::uuid[]))
       ORDER BY c.id_unique FOR KEY SHARE`,
      [tenantId, votants],
    );
    return rows.some(({ isOpen }) => isOpen);
  }

  /**
   * Keeps the ballot boxes of the person's campaigns from being sealed until the transaction ends: a roll that is being
   * written anew would bring back what is erased. @returns false where one is being sealed
   */
  async keepFromSealing({ tenantId, votants }: Person): Promise<boolean> {
    const { rows } = await this.transactions.client().query<{ isFree: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || campagne, ${SEALING})) AS "isFree"
       FROM (SELECT DISTINCT campagne_id::text AS campagne FROM votant WHERE tenant_id = $1::uuid AND id_unique = ANY ($2::uuid[])) c`,
      [tenantId, votants],
    );
    return rows.every(({ isFree }) => isFree);
  }

  /** Whether a sync that waits may bring the employee back: its body has the identifier somewhere. */
  async isAwaited({ tenantId, idExterne }: Person): Promise<boolean> {
    const { rowCount } = await this.transactions.client().query(
      `SELECT FROM tache WHERE tenant_id = $1 AND date_fin IS NULL AND NOT simulation
         AND EXISTS (SELECT FROM unnest($2::bytea[]) form WHERE position(form IN corps) > 0) LIMIT 1`,
      [tenantId, formsOf(idExterne)],
    );
    return rowCount === 1;
  }

  /** Removes the person from the rolls of unpublished campaigns, because a voter without a name must not vote. */
  async removeFromDrafts({ tenantId, votants }: Person): Promise<void> {
    await this.transactions.client().query(
      `WITH removed AS (
         DELETE FROM votant v USING campagne c
         WHERE v.tenant_id = $1 AND v.id_unique = ANY ($2::uuid[])
           AND c.tenant_id = v.tenant_id AND c.id_unique = v.campagne_id AND NOT c.publiee AND NOT c.archivee
         RETURNING v.campagne_id
       ), counted AS (SELECT campagne_id, count(*) AS gone FROM removed GROUP BY campagne_id)
       UPDATE campagne c SET nombre_votants = nombre_votants - gone FROM counted
       WHERE c.tenant_id = $1 AND c.id_unique = counted.campagne_id`,
      [tenantId, votants],
    );
  }

  /** Removes the person from everything that `HELD` names, and from requests that became somebody else's. */
  async erase(person: Person): Promise<void> {
    await this.run(
      `UPDATE demande_adhesion SET employe_id_externe_envoye = NULL
       WHERE tenant_id = :tenantId AND employe_id_externe_envoye = :idExterne AND id_externe_employe <> :idExterne`,
      person,
    );
    for (const { table, where, erased } of HELD) {
      const condition = `tenant_id = :tenantId AND ${where}`;
      if (erased === 'removed') await this.run(`DELETE FROM ${table} WHERE ${condition}`, person);
      else if ('set' in erased)
        await this.run(`UPDATE ${table} SET ${erased.set} WHERE ${condition}`, person);
    }
  }

  private async ids(text: string, values: readonly string[]): Promise<string[]> {
    const { rows } = await this.transactions.client().query<{ id: string }>(text, [...values]);
    return rows.map(({ id }) => id);
  }

  /** Runs a statement with the person's properties as parameters: `:name`. */
  private async run<R extends object>(named: string, person: Person): Promise<R[]> {
    const values: unknown[] = [];
    const places = new Map<string, string>();
    const text = named.replace(/(?<![:\w]):([a-zA-Z]+)/g, (_all, name: string) => {
      const place = places.get(name) ?? `$${values.push(person[name as keyof Person])}`;
      places.set(name, place);
      return place;
    });
    return (await this.transactions.client().query<R>(text, values)).rows;
  }
}
