import { type RecordDefinition, snakeCase } from '../input/field';
import { IN_ORDER } from './entered-query';
import type { Statement } from './one-trip';
import type { Transactions } from './transactions';

/**
 * The wire's names of an item and the SQL that gives each its value, where `$1` is the tenant; PostgreSQL makes the JSON
 * text from it.
 */
export type ItemColumns = Readonly<Record<string, string>>;

/** A timestamp as the wire has it: ISO 8601 in UTC, to the millisecond. */
export function wireTimestamp(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The columns of a definition: each has the name of its field, in snake_case. */
export function itemColumns<D extends RecordDefinition>(definition: D) {
  const columns = Object.entries(definition).map(([name, field]) => {
    const isTime = field.kind === 'date' || (field.kind === 'readOnly' && field.format === 'date-time');
    return [name, isTime ? wireTimestamp(snakeCase(name)) : snakeCase(name)];
  });
  return Object.fromEntries(columns) as { readonly [K in keyof D]: string };
}

/** SQL of a nested object: compact, unlike what json_build_object makes. */
export function jsonObject(columns: ItemColumns): string {
  const selected = Object.entries(columns).map(([name, sql]) => `${sql} AS "${name}"`);
  return `(SELECT row_to_json(o) FROM (SELECT ${selected.join(', ')}) o)`;
}

/** Returns SQL of a nested list: `item` for each row of `rows` (`FROM … ORDER BY …`). */
export function jsonList(item: string, rows: string): string {
  return `array_to_json(ARRAY(SELECT ${item} ${rows}))`;
}

/** SQL of a value as JSON. */
export function jsonScalar(sql: string): string {
  return `coalesce(JSON_SCALAR(${sql}), 'null')`;
}

/** SQL of each column as JSON, for `jsonText`. */
export function jsonScalars(columns: ItemColumns): ItemColumns {
  return Object.fromEntries(Object.entries(columns).map(([name, sql]) => [name, jsonScalar(sql)]));
}

/** SQL of members of an object as text. @param members as of `jsonText` */
export function jsonMembers(...members: readonly (string | ItemColumns)[]): string {
  return `concat(${textsOf(members, '')})`;
}

/** SQL of those members as text that have a value. @param columns the first one always has a value */
export function presentMembers(columns: ItemColumns): string {
  const members = Object.entries(columns).map(
    ([name, sql], index) => `'${index > 0 ? ',' : ''}"${name}":' || JSON_SCALAR(${sql})::text`,
  );
  return `concat(${members.join(', ')})`;
}

/**
 * SQL of an object as JSON text. It takes half the time of row_to_json, which looks up the type of each value of each row;
 * with stored members it takes a seventh. PostgreSQL allows 49 members.
 *
 * @param members SQL of members as text (`"nom":"Roy","ville":null`), or names with SQL of their values as JSON; no SQL may yield NULL
 */
export function jsonText(...members: readonly (string | ItemColumns)[]): string {
  return `concat(${textsOf(members, '{')}, '}')`;
}

function textsOf(members: readonly (string | ItemColumns)[], start: string): string {
  const texts = members.flatMap((one) =>
    typeof one === 'string' ? [`', ${one}`] : Object.entries(one).map(([name, sql]) => `"${name}":', ${sql}`),
  );
  return texts.map((text, index) => `'${index > 0 ? ',' : start}${text}`).join(', ');
}

/** Position in a list, which is ordered by a time (for most lists the creation) and then by id. */
export interface Position {
  readonly date: Date;
  readonly id: string;
}

/** A run of items as JSON, and where the next run starts if there is one. */
export interface Page {
  /** Texts that have one or more items each. A comma belongs between two items, and between two texts. */
  readonly items: readonly string[];
  readonly next?: Position;
  /** The place up to which the page was read: that of its last item, or further where a filter left out the rest. */
  readonly last?: Position;
  /** The state of the list in which the page was read, if the list has one: pages of the same list and state are equal. */
  readonly state?: string;
}

/** Reads at most `limit` items of a list after `after`. */
export interface FetchPage {
  (after: Position | undefined, limit: number): Promise<Page>;
  /** Reads the state of the list and no row of it; absent if the list has none. */
  readonly state?: () => Promise<string>;
}

/** A condition on a list: SQL with `?` in each place of its value. A condition without a value is left out. */
export interface Filter {
  readonly sql: string;
  readonly value: unknown;
  /** The number of matching rows depends so much on the value that a generic plan would be bad for most values. */
  readonly planned?: 'for each value';
  /**
   * The column whose index finds the matching rows, if these may be few and far apart in the list's order. At most `FEW`
   * rows are read by this index and sorted. PostgreSQL could otherwise read the whole list in its order to find them.
   */
  readonly fewBy?: string;
  /** Set if no index finds the matching rows: a page looks at `MOST_SCANNED` rows, and the next page starts after them. */
  readonly scanned?: true;
}

export interface ItemSource {
  /** Unique among all sources; names the prepared statements. */
  readonly name: string;
  /** A table whose rows have `tenant_id`, `id_unique` and the column of the order. */
  readonly table: string;
  /** The item's columns, or SQL of the whole item as JSON text (`jsonText`). */
  readonly columns: ItemColumns | string;
  /**
   * Another table with the same rows' columns (`together`), whose rows are part of the list. Each is read in the list's
   * order by itself, so a page costs one page of each, whatever statistics PostgreSQL has.
   */
  readonly and?: { readonly table: string; readonly together: readonly string[] };
  /**
   * The time by which the list is ordered, and whether the newest comes first; the creation, oldest first, if absent. An
   * order given by a client is a whole number, which a position holds in milliseconds.
   */
  readonly order?: { readonly by: string; readonly newestFirst?: true; readonly isNumber?: true };
  /** The column of the identifier in a path; `id_externe` if absent. */
  readonly key?: string;
  /** SQL of the state of its lists, where `$1` is the tenant; absent if they have none. */
  readonly state?: string;
}

interface PageRow {
  /** Place of the text in the page; null for the item that follows the page. */
  place: number | null;
  items: string | null;
  lastDate: Date | number;
  /** Null on a page without any item. */
  lastId: string | null;
  /** The last row that a `scanned` condition looked at, if there are no more items up to it, and rows may follow. */
  seenDate?: Date | number | null;
  seenId?: string | null;
  state?: string;
}

const positionOf = (date: Date | number, id: string): Position => ({ date: new Date(date), id });

const CREATION: NonNullable<ItemSource['order']> = { by: 'date_creation' };

/** A page ends with the item that makes it this long, in bytes. It stays in memory until the client has read it. */
export const PAGE_BYTES = 1_572_864;

/**
 * The tenant of a statement that is planned for its values. PostgreSQL plans for any tenant, because statistics may not know this one
 * (docs/adr/0011).
 */
const ANY_TENANT = '(SELECT $1::uuid)';

/** Maximum number of rows that count as few: reading and sorting them costs about as much as the page itself. */
const FEW = 1_000;

/** Maximum number of rows that a page with a `scanned` condition looks at. Such a page may have few items, or none. */
export const MOST_SCANNED = 5_000;

/** Bytes of each text of a page. Longer texts made twice as many of the longest pauses of Node's garbage collection. */
const TEXT_BYTES = 32_768;

/**
 * SQL of the first rows of `rows` up to the one whose text fills a page, and of the bytes `before` each. Both windows run row by row,
 * and the condition on `over` ends them, so further rows are not made.
 *
 * @param rows an ordered query
 * @param columns its columns, of which the first is measured
 * @param bytes length of a page
 */
export function upToPage(
  rows: string,
  columns: readonly [text: string, ...others: string[]],
  bytes = PAGE_BYTES,
): string {
  const [[text], selected] = [columns, columns.join(', ')];
  const before = `sum(octet_length(${text})) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
  return `SELECT ${selected}, before FROM (
     SELECT ${selected}, before, count(CASE WHEN before >= ${bytes} THEN 1 END) OVER (ROWS UNBOUNDED PRECEDING) AS over
     FROM (SELECT ${selected}, coalesce(${before}, 0) AS before FROM (${rows} OFFSET 0) t) s
   ) w WHERE over < 1`;
}

/** Reads a table's rows as JSON text, in one statement per page, without making an object of each row. */
export class JsonItems {
  /** SQL of an item as text, for a row of the table. */
  protected readonly item: string;

  constructor(
    protected readonly transactions: Transactions,
    protected readonly source: ItemSource,
  ) {
    const { columns } = source;
    this.item = typeof columns === 'string' ? columns : jsonText(jsonScalars(columns));
  }

  /** Returns the item whose path identifier is `key`, or undefined. @param filters conditions, each with a value */
  async one(tenantId: string, key: string, filters: readonly Filter[] = []): Promise<string | undefined> {
    const passes = filters.map(({ sql }, index) => ` AND ${sql.replaceAll('?', `$${index + 3}`)}`).join('');
    const [row] = await this.single<{ item: string }>(tenantId, {
      name: `${this.source.name}_one`,
      text: `SELECT ${this.item} AS item FROM ${this.source.table}
             WHERE tenant_id = $1 AND ${this.source.key ?? 'id_externe'} = $2${passes}`,
      values: [tenantId, key, ...filters.map(({ value }) => value)],
    });
    return row?.item;
  }

  /** Runs the statement of a single item. */
  protected single<R extends object>(tenantId: string, statement: Statement): Promise<R[]> {
    return this.transactions.lookUp<R>({ tenantId }, statement);
  }

  /** Returns the list of the items that pass every filter. */
  pages(tenantId: string, filters: readonly Filter[] = []): FetchPage {
    const fetch = (after: Position | undefined, limit: number): Promise<Page> =>
      this.page(tenantId, after, limit, filters);
    const { state: sql, name } = this.source;
    if (!sql) return fetch;
    const state = async (): Promise<string> => {
      const statement = { name: `${name}_state`, text: `SELECT ${sql} AS state`, values: [tenantId] };
      const [row] = await this.transactions.lookUp<{ state: string }>({ tenantId }, statement);
      return row!.state;
    };
    return Object.assign(fetch, { state });
  }

  /**
   * Returns at most `limit` items that pass every filter, in the order of the list, after a position. The page is shorter
   * if its items reach `PAGE_BYTES` first, or if a `scanned` condition has seen its rows; the next page then starts after them.
   */
  async page(
    tenantId: string,
    after: Position | undefined,
    limit: number,
    filters: readonly Filter[],
  ): Promise<Page> {
    const values: unknown[] = [tenantId, limit];
    const place = (value: unknown): string => `$${values.push(value)}`;
    const used = filters.flatMap((filter, index) => (filter.value == null ? [] : [{ ...filter, index }]));
    const conditions = used.map(({ sql, value }) => sql.replaceAll('?', place(value)));
    const kept = ['tenant_id = $1', ...conditions];
    const reached = ['tenant_id = $1', ...conditions.filter((_sql, index) => !used[index]!.scanned)];
    const isScanned = reached.length < kept.length;
    const { table, and, state, order: { by, newestFirst, isNumber } = CREATION } = this.source;
    const follows = `(${by}, id_unique) ${newestFirst ? '<' : '>'}`;
    const start =
      after &&
      `${follows} (${isNumber ? `${place(after.date.getTime())}::bigint` : place(after.date)}, ${place(after.id)})`;
    const direction = newestFirst ? ' DESC' : '';
    const ordered = `ORDER BY ${by}${direction}, id_unique${direction}`;
    // One item more than the page has shows whether there are more.
    const order = `${ordered} LIMIT $2 + 1`;
    const where = [...kept, ...(start ? [start] : [])].join(' AND ');
    const areFew = await this.areFew(tenantId, used);
    // The rows that are looked at after a position, found by an index.
    const window = (part: string, further: readonly (string | undefined)[], end: string): string =>
      `SELECT * FROM ${part} WHERE ${[...reached, ...further].filter(Boolean).join(' AND ')} ${ordered} ${end}`;
    // OFFSET makes PostgreSQL find the rows first, without regard to the list's order.
    const from = (part: string, position: string | undefined): string => {
      if (isScanned) return `(${window(part, [position], `LIMIT ${MOST_SCANNED}`)}) ${part}`;
      return areFew ? `(SELECT * FROM ${part} WHERE ${kept.join(' AND ')} OFFSET 0) ${part}` : part;
    };
    const page = (part: string, columns: string): string =>
      `SELECT ${columns} FROM ${from(part, start)} WHERE ${where} ${order}`;
    const selected = `${this.item} AS item, ${by} AS "_by", id_unique AS "_id"`;
    const rows = and
      ? `SELECT ${selected} FROM (
           (${page(table, and.together.join(', '))}) UNION ALL (${page(and.table, and.together.join(', '))})
         ) m ${order}`
      : page(table, selected);
    // Each combination of conditions has its own prepared statement, because each needs a different plan.
    const name = `${this.source.name}_page_${used.map(({ index }) => index).join('_')}${after ? '_after' : ''}`;
    const isPlannedOnce = !areFew && used.every(({ planned }) => planned === undefined);
    const ofLast = (column: string): string => `(array_agg("${column}" ORDER BY before))[count(*)]`;
    const seen =
      isScanned &&
      ` LEFT JOIN (SELECT ${by} AS "seenDate", id_unique AS "seenId" FROM (${window(table, [start], `OFFSET ${MOST_SCANNED - 1} LIMIT 1`)}) s) s ON true`;
    // The state is of the statement's snapshot, and an empty page has one too.
    const once = state ? `(SELECT ${state} AS state) page` : seen ? '(SELECT) page' : undefined;
    // Both windows run row by row, and the condition on `beyond` ends them, so further rows are not made.
    const text = `SELECT items, place, "lastDate", "lastId"${seen ? ', "seenDate", "seenId"' : ''}${state ? ', state' : ''}
      FROM ${once ? `${once}${seen || ''} LEFT JOIN` : ''} (
        SELECT place, CASE WHEN place IS NOT NULL THEN string_agg(item, ',' ORDER BY before) END AS items,
          ${ofLast('_by')} AS "lastDate", ${ofLast('_id')} AS "lastId"
        FROM (
          SELECT item, "_by", "_id", before, CASE WHEN beyond = 0 THEN (before / ${TEXT_BYTES})::int END AS place FROM (
            SELECT *, count(CASE WHEN before >= ${PAGE_BYTES} OR number > $2 THEN 1 END) OVER (ROWS UNBOUNDED PRECEDING) AS beyond
            FROM (
              SELECT *, coalesce(sum(octet_length(item)) OVER earlier, 0) AS before, row_number() OVER earlier AS number
              FROM (${rows} OFFSET 0) t WINDOW earlier AS (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
            ) m
          ) b WHERE beyond < 2
        ) i GROUP BY place
      ) p ${once ? 'ON true' : ''}`;
    const found = await this.transactions.query<PageRow>(
      { tenantId },
      { ...(isPlannedOnce ? { name, text } : { text: text.replaceAll(/\$1\b/g, ANY_TENANT) }), values },
      isScanned ? [IN_ORDER] : [],
    );
    // PostgreSQL would sort the texts once more after the join.
    const texts = found.filter(({ place }) => place !== null).sort((one, other) => one.place! - other.place!);
    const end = texts.at(-1);
    const last = end && positionOf(end.lastDate, end.lastId!);
    const isMore = found.some(({ place, lastId }) => place === null && lastId !== null);
    const { seenDate, seenId, state: stateRead } = found[0] ?? {};
    const next = isMore ? last : seenId ? positionOf(seenDate!, seenId) : undefined;
    return {
      items: texts.map(({ items }) => items!),
      ...(last ? { last } : {}),
      ...(next ? { next } : {}),
      ...(stateRead ? { state: stateRead } : {}),
    };
  }

  /** Returns whether at most `FEW` rows pass, so the index of the condition (`fewBy`) finds them faster. */
  private async areFew(tenantId: string, filters: readonly Filter[]): Promise<boolean> {
    const [filter, ...others] = filters;
    if (!filter?.fewBy || others.length > 0) return false;
    const [row] = await this.transactions.query<{ areFew: boolean }>(
      { tenantId },
      {
        text: `SELECT count(*) <= ${FEW} AS "areFew" FROM (
               SELECT true FROM ${this.source.table} WHERE tenant_id = $1 AND ${filter.sql.replaceAll('?', '$2')}
               ORDER BY ${filter.fewBy} LIMIT ${FEW + 1}
             ) f`,
        values: [tenantId, filter.value],
      },
    );
    return row!.areFew;
  }
}
