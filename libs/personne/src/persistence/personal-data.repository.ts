import { Injectable } from '@nestjs/common';
import { WITH_IMAGE } from '#adhesion/relations';
import {
  EMPLOYE_KEY,
  type Fusion,
  OLDEST_FIRST,
  type Person,
  type PersonalRows,
} from '#membership/relations';
import type { Statement } from '#platform/database/one-trip';
import { PAGE_BYTES, upToPage } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { LAST_ENTRY, PERSONAL_DATA, RENAMING_ORDER } from './personal-data.sql';

const IDENTITIES = `identities (nom, prenom, courriel) AS (${PERSONAL_DATA.flatMap(({ identities }) => identities ?? []).join(' UNION ')})`;
const IDS = PERSONAL_DATA.flatMap(({ ids }) => Object.entries(ids ?? {}));
const NOTHING_FOUND = Object.fromEntries(IDS.map(([name]) => [name, []]));
const ROWS = PERSONAL_DATA.flatMap(({ rows }) => rows);

const RENAMINGS = RENAMING_ORDER.flatMap(({ identifiers }) => Object.values(identifiers ?? {})).filter(
  (renaming) => 'set' in renaming,
);

/** Identifiers from which all rows about a person are found. */
export type KnownPerson = Omit<Person, 'ids' | 'idUrl'>;

type Row = Readonly<Record<string, unknown>>;

/** Rows of a section of the export that a merge has given to an employee, and those that it has made one with others. */
export interface MergedRows {
  readonly section: string;
  readonly deplacees: number;
  readonly reunies: number;
}

/** Some rows of a section of the export. */
export interface SectionPage {
  readonly section: string;
  readonly rows: readonly Row[];
}

/** All data about one person. Methods other than `read` run in the ambient transaction. */
@Injectable()
export class PersonalDataRepository {
  /** `Person.found` of a person without rows. */
  readonly nothingFound = NOTHING_FOUND;

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

  /** Returns the ids of the cards and requests with a signature image. */
  async withImage(person: Person): Promise<string[]> {
    const rows = await this.run<{ id: string }>(WITH_IMAGE, { ...person, ...person.found });
    return rows.map(({ id }) => id);
  }

  /** Returns the number of the last entry of the audit trail. */
  async lastEntry(tenantId: string): Promise<string> {
    const [row] = await this.run<{ numero: string }>(LAST_ENTRY, { tenantId });
    return row!.numero;
  }

  /**
   * Yields the rows about the person with all columns: one or several pages of each section. Each page is a statement of its own,
   * so a slow reader occupies no connection, and memory has one page instead of a section.
   *
   * @param numero number of the last entry of the audit trail that may be among the rows
   * @param bytes length from which a page ends
   */
  async *read(person: Person, numero: string, bytes = PAGE_BYTES): AsyncGenerator<SectionPage, void> {
    for (const section of ROWS)
      for (const one of named(section, person)) {
        let last: Row | undefined;
        for (let isFull = true; isFull;) {
          const values = { ...last, ...one, ...one.found, numero };
          const page = await this.page(section, values, last !== undefined, bytes);
          yield { section: section.section, rows: page.rows };
          last = page.rows.at(-1);
          isFull = page.isFull;
        }
      }
  }

  /** Returns rows of a section up to `bytes` and one row more, from the first one or after the row whose columns are in the values. */
  private async page(
    { table, shown, repeated = [], order = OLDEST_FIRST, ...conditions }: PersonalRows,
    values: Readonly<Record<string, unknown>> & Pick<Person, 'tenantId'>,
    isLater: boolean,
    bytes: number,
  ): Promise<{ rows: Row[]; isFull: boolean }> {
    const others = Object.entries(shown ?? {}).map(([column, sql]) => `'${column}', ${sql}`);
    const follows = `(${order.join(', ')}) > (${order.map((column) => `:${column}`).join(', ')})`;
    const unshown = ['tenant_id', ...repeated].join(', ');
    const rows = `SELECT (to_jsonb(t) - '{${unshown}}'::text[] || jsonb_build_object(${others.join(', ')}))::text AS item FROM (
        SELECT * FROM ${table} WHERE tenant_id = :tenantId AND ${conditionOf(conditions)}${isLater ? ` AND ${follows}` : ''}
        ORDER BY ${order.join(', ')}
      ) t`;
    const sql = `SELECT item FROM (${upToPage(rows, ['item'], bytes)}) u`;
    const { tenantId } = values;
    const items = await this.transactions.query<{ item: string }>({ tenantId }, statementOf(sql, values));
    const length = items.reduce((sum, { item }) => sum + Buffer.byteLength(item), 0);
    return { rows: items.map(({ item }) => JSON.parse(item) as Row), isFull: length >= bytes };
  }

  /** Erases the person from the rows of all contexts. */
  async erase(person: Person): Promise<void> {
    for (const statement of PERSONAL_DATA.flatMap(({ beforeErasure }) => beforeErasure ?? []))
      await this.run(statement, { ...person, ...person.found });
    for (const section of ROWS) {
      const { table, erased } = section;
      for (const one of named(section, person)) {
        const condition = `tenant_id = :tenantId AND ${conditionOf(section)}`;
        const values = { ...one, ...one.found };
        if (erased === 'removed') await this.run(`DELETE FROM ${table} WHERE ${condition}`, values);
        else if ('set' in erased)
          await this.run(`UPDATE ${table} SET ${erased.set} WHERE ${condition}`, values);
      }
    }
  }

  /** Gives the rows of the pairs that `IdentifiantRepository` has staged their new identifiers. */
  async rename(tenantId: string): Promise<void> {
    for (const { before, set, check } of RENAMINGS) {
      if (before) await this.run(before, { tenantId });
      await this.run(set, { tenantId });
      // A statement for each reference, because a statement may take 30 s.
      if (check) await this.transactions.client().query(`SET CONSTRAINTS ${check} IMMEDIATE`);
    }
  }

  /**
   * Gives the rows of one employee to another. `IdentifiantRepository` has staged the pair, and both are locked.
   *
   * @param joined numbers of rows, by table, that have been made one before
   */
  async merge(fusion: Fusion, joined: Readonly<Record<string, number>>): Promise<MergedRows[]> {
    const reunies = new Map(Object.entries(joined));
    const deplacees = new Map<string, number>();
    const run = async (sql: string): Promise<number> => {
      const { text, values } = statementOf(sql, fusion as unknown as Row);
      return (await this.transactions.client().query(text, [...values])).rowCount!;
    };
    const add = (counts: Map<string, number>, column: string, count: number): void => {
      const table = column.split('.')[0]!;
      counts.set(table, (counts.get(table) ?? 0) + count);
    };
    for (const { identifiers, mergedIds } of RENAMING_ORDER) {
      for (const sql of Object.values(mergedIds ?? {})) await run(sql);
      for (const [column, rule] of Object.entries(identifiers ?? {})) {
        if (column === EMPLOYE_KEY || !('set' in rule)) continue;
        if (typeof rule.joined === 'string') add(reunies, column, await run(rule.joined));
        add(deplacees, column, await run(rule.set));
      }
    }
    return ROWS.map(({ section, table }) => ({
      ...{ section, deplacees: deplacees.get(table) ?? 0, reunies: reunies.get(table) ?? 0 },
    })).filter(({ deplacees, reunies }) => deplacees + reunies > 0);
  }

  private async run<R extends object>(
    named: string,
    values: Readonly<Record<string, unknown>>,
  ): Promise<R[]> {
    const { text, values: sent } = statementOf(named, values);
    return (await this.transactions.client().query<R>(text, [...sent])).rows;
  }
}

/** The person for rows that reference it, or by each identifier that it had for rows that only name it. */
function named({ named }: PersonalRows, person: Person): Person[] {
  if (!named) return [person];
  return person.tenures.map((tenure) => ({
    ...person,
    ...{ ...tenure, idUrl: encodeURIComponent(tenure.idExterne) },
  }));
}

function conditionOf({ where, named }: Pick<PersonalRows, 'where' | 'named'>): string {
  return named ? `${where} AND ${named} >= :depuis AND ${named} < :jusqua` : where;
}

/** Returns a statement with the values of its parameters (`:name`). */
function statementOf(named: string, values: Readonly<Record<string, unknown>>): Statement {
  const sent: unknown[] = [];
  const places = new Map<string, string>();
  const text = named.replace(/(?<![:\w]):([a-zA-Z_]+)/g, (_all, name: string) => {
    if (!(name in values)) throw new Error(`A statement names the unknown parameter ${name}.`);
    const place = places.get(name) ?? `$${sent.push(values[name])}`;
    places.set(name, place);
    return place;
  });
  return { text, values: sent };
}
