import type { PoolClient } from 'pg';

/** Columns of one table and those of another that they refer to, without the tenant's. */
export interface Reference {
  readonly table: string;
  readonly pairs: readonly (readonly [from: string, to: string])[];
}

/** A table whose rows `effets_noter` notes, as the database describes it. */
export interface NotedTable {
  readonly name: string;
  /** The kind of its records. */
  readonly entite: string;
  /** Column of the identifier. For nested records, `parent` is the column of the parent record's identifier. */
  readonly key: string;
  readonly parent: string | undefined;
  /** All columns except the tenant's, the keys and generated columns. */
  readonly columns: readonly string[];
  readonly isDated: boolean;
  /** Foreign keys of the table. */
  readonly refersTo: readonly Reference[];
  /** Foreign keys of other tables to this one, with pairs from their columns to the columns of this one. */
  readonly referredBy: readonly Reference[];
  /**
   * Tables that refer to both records that a row links, with the pairs from their columns to those of the row: cards refer to the employee
   * and the union of a membership.
   */
  readonly linkedBy: readonly Reference[];
  /** SQL array of the columns that are not the record's content. */
  readonly apart: string;
}

/** Column with the time of the last change. A restored row gets a new time. */
export const DATED = 'derniere_maj';

interface Row {
  name: string;
  arguments: Buffer;
  columns: string[];
  generated: string[];
  refersTo: Reference[];
  referredBy: Reference[];
}

/** SQL of foreign keys as JSON, of a table (`own`) to another (`other`), or of another to it. */
const references = (own: string, other: string): string => `coalesce((
  SELECT json_agg(json_build_object('table', f.${other}::regclass::text, 'pairs', (
    SELECT json_agg(json_build_array(a.attname, b.attname)) FROM unnest(f.conkey, f.confkey) p (a, b)
    JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = p.a
    JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = p.b
    WHERE a.attname <> 'tenant_id')))
  FROM pg_constraint f WHERE f.${own} = c.oid AND f.contype = 'f' AND f.conparentid = 0), '[]')`;

/** Reads the noted tables: a table comes after those that it refers to. */
export async function notedTables(client: PoolClient): Promise<NotedTable[]> {
  const { rows } = await client.query<Row>(
    `SELECT c.relname AS name, t.tgargs AS arguments, ${references('conrelid', 'confrelid')} AS "refersTo",
       ${references('confrelid', 'conrelid')} AS "referredBy",
       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS columns,
       array_agg(a.attname::text) FILTER (WHERE a.attgenerated <> '') AS generated
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE t.tgname = 'effets_insert' GROUP BY c.oid, c.relname, t.tgargs ORDER BY c.relname`,
  );
  const described = rows.map(describe);
  const tables = described.map((table) => ({ ...table, linkedBy: linkedBy(table, described) }));
  const ordered: NotedTable[] = [];
  const add = (table: NotedTable): void => {
    for (const { table: name } of table.refersTo) {
      const other = tables.find((one) => one.name === name);
      if (other && other !== table) add(other);
    }
    if (!ordered.includes(table)) ordered.push(table);
  };
  tables.forEach(add);
  return ordered;
}

type Described = Omit<NotedTable, 'linkedBy'>;

function describe({ name, arguments: given, columns, generated, refersTo, referredBy }: Row): Described {
  const [entite, key, parent] = given.toString().split('\0').filter(Boolean) as [string, string, string?];
  const keys = ['tenant_id', key, ...(parent ? [parent] : [])];
  return {
    ...{ name, entite, key, parent, refersTo, referredBy },
    columns: columns.filter((column) => ![...keys, DATED].includes(column)),
    isDated: columns.includes(DATED),
    apart: `'{${[...keys, DATED, ...(generated ?? [])].join(',')}}'::text[]`,
  };
}

function linkedBy(table: Described, tables: readonly Described[]): Reference[] {
  const named = (name: string): Described | undefined => tables.find((one) => one.name === name);
  const [first, second] = table.refersTo.filter((one) => named(one.table));
  if (!first || !second) return [];
  // The tables that refer to the same record as the row does.
  const beside = ({ table: name, pairs }: Reference): Reference[] =>
    named(name)!
      .referredBy.filter((other) => !named(other.table))
      .map((other) => ({
        table: other.table,
        pairs: other.pairs.flatMap(([from, to]) =>
          pairs.filter(([, column]) => column === to).map(([own]) => [from, own] as const),
        ),
      }))
      .filter((other) => other.pairs.length > 0);
  return beside(first).flatMap((one) =>
    beside(second)
      .filter((other) => other.table === one.table)
      .map((other) => ({ table: one.table, pairs: [...one.pairs, ...other.pairs] })),
  );
}
