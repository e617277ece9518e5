import { Injectable } from '@nestjs/common';
import type { Person } from '#membership/relations';
import { Transactions } from '#platform/database/transactions';
import { PERSONAL_DATA } from './personal-data.sql';

const IDENTITIES = `identities (nom, prenom, courriel) AS (${PERSONAL_DATA.flatMap(({ identities }) => identities ?? []).join(' UNION ')})`;
const IDS = PERSONAL_DATA.flatMap(({ ids }) => Object.entries(ids ?? {}));
const ROWS = PERSONAL_DATA.flatMap(({ rows }) => rows);

/** Identifiers from which all rows about a person are found. */
export type KnownPerson = Omit<Person, 'ids' | 'idUrl'>;

/** All data about one person, in the ambient transaction. */
@Injectable()
export class PersonalDataRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Finds the rows of all contexts that are the person.
   *
   * @param lock of the rows that another request could change
   */
  async find(known: KnownPerson, lock: '' | 'FOR UPDATE'): Promise<Person> {
    const found: Record<string, string[]> = {};
    const idUrl = known.idExterne === null ? null : encodeURIComponent(known.idExterne);
    for (const [name, select] of IDS) {
      const sql = `WITH ${IDENTITIES} ${select(lock)}`;
      found[name] = (await this.run<{ id: string }>(sql, this.noted(known))).map(({ id }) => id);
    }
    return { ...known, idUrl, found, ids: [...known.employes, ...Object.values(found).flat()] };
  }

  /** Returns the names of the person in all contexts, in lower case. */
  async names(known: KnownPerson): Promise<string[]> {
    const sql = `WITH ${IDENTITIES} SELECT DISTINCT jsonb_build_array(nom, prenom)::text AS names FROM identities`;
    return (await this.run<{ names: string }>(sql, this.noted(known))).map(({ names }) => names);
  }

  /** The parameters of statements that find rows. */
  private noted(known: KnownPerson): Readonly<Record<string, unknown>> {
    return { ...known, ...Object.fromEntries(IDS.map(([name]) => [name, known.found[name] ?? []])) };
  }

  /** Returns the rows about the person by section, oldest first, with all columns. */
  async read(person: Person): Promise<Record<string, Record<string, unknown>[]>> {
    const sections: Record<string, Record<string, unknown>[]> = {};
    // The audit trail, which is read last, may refer to any row read before.
    const ids = new Set(person.ids);
    for (const { section, table, where, shown } of ROWS) {
      const others = Object.entries(shown ?? {}).map(([column, sql]) => `'${column}', ${sql}`);
      const row = `to_jsonb(t) - 'tenant_id'${others.length > 0 ? ` || jsonb_build_object(${others.join(', ')})` : ''}`;
      const rows = await this.run<{ row: Record<string, unknown> }>(
        `SELECT ${row} AS row FROM ${table} t WHERE tenant_id = :tenantId AND ${where}
         ORDER BY to_jsonb(t) ->> 'date_creation', to_jsonb(t) ->> 'id_unique'`,
        { ...person, ...person.found, ids: [...ids] },
      );
      for (const { row } of rows) if (typeof row.id_unique === 'string') ids.add(row.id_unique);
      sections[section] = rows.map((one) => one.row);
    }
    return sections;
  }

  /** Erases the person from the rows of all contexts. */
  async erase(person: Person): Promise<void> {
    const values = { ...person, ...person.found };
    for (const statement of PERSONAL_DATA.flatMap(({ beforeErasure }) => beforeErasure ?? []))
      await this.run(statement, values);
    for (const { table, where, erased } of ROWS) {
      const condition = `tenant_id = :tenantId AND ${where}`;
      if (erased === 'removed') await this.run(`DELETE FROM ${table} WHERE ${condition}`, values);
      else if ('set' in erased)
        await this.run(`UPDATE ${table} SET ${erased.set} WHERE ${condition}`, values);
    }
  }

  /** Runs a statement with the values of its parameters (`:name`). */
  private async run<R extends object>(
    named: string,
    values: Readonly<Record<string, unknown>>,
  ): Promise<R[]> {
    const sent: unknown[] = [];
    const places = new Map<string, string>();
    const text = named.replace(/(?<![:\w]):([a-zA-Z]+)/g, (_all, name: string) => {
      if (!(name in values)) throw new Error(`A statement names the unknown parameter ${name}.`);
      const place = places.get(name) ?? `$${sent.push(values[name])}`;
      places.set(name, place);
      return place;
    });
    return (await this.transactions.client().query<R>(text, sent)).rows;
  }
}
