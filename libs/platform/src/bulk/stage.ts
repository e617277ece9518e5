import { from as copyFrom } from 'pg-copy-streams';
import type { PoolClient } from 'pg';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Earlier, inOneTrip } from '../database/one-trip';
import { EventLoopYielder } from '../ops/event-loop-yielder';

const CHUNK_BYTES = 64 * 1024;

/**
 * The columns of a stage with their types, in the order of a row's values. An `identifier` is a short text that statements compare. They
 * do not compare `text`, because PostgreSQL has no statistics of it.
 */
export type StageColumns = Readonly<
  Record<string, 'text' | 'identifier' | 'integer' | 'boolean' | 'timestamptz'>
>;

export type StagedRow = readonly (string | number | boolean | Date | null | undefined)[];

/** Short columns are stored plainly. If a stage has only these, it has no table for long values, which each commit would empty, too. */
const SQL_TYPES = { identifier: 'text STORAGE PLAIN COLLATE "C"' } as Readonly<Record<string, string>>;

/** Number of staged rows from which a statement needs statistics of them, and new plans (fresh-plans.sql.ts). */
const MANY_STAGED = 100;

/** Statistics of up to this many times as many or as few rows make good plans of few rows. */
const NEARLY = 4;

/**
 * A temporary table that each connection makes once and empties at each commit. Tables for each transaction cost more than all else of
 * a small sync (docs/adr/0062).
 */
export class StageTable {
  /** Tells definitions apart, because behind a pooler two releases may use one connection. */
  readonly name: string;
  /** SQL that makes statistics of the columns that statements compare. */
  readonly analysis: string;
  private readonly names: readonly string[];
  private readonly definition: string;

  constructor(name: string, columns: StageColumns) {
    this.names = Object.keys(columns);
    this.definition = Object.entries(columns)
      .map(([column, type]) => `${column} ${SQL_TYPES[type] ?? type}`)
      .join(', ');
    this.name = `${name}_${createHash('sha256').update(this.definition).digest('hex').slice(0, 8)}`;
    this.analysis = `ANALYZE ${this.name} (${this.names.filter((one) => columns[one] !== 'text').join(', ')})`;
  }

  /**
   * Makes those tables that the connection does not have. They are empty in a transaction that has not filled them.
   *
   * @returns by their names the numbers of rows that their statistics are about, if they have any
   */
  static async make(client: PoolClient, tables: readonly StageTable[]): Promise<Map<string, number>> {
    const { rows } = await client.query<{ name: string; reltuples: number }>({
      name: 'stages_known',
      text: `SELECT name, reltuples FROM unnest($1::text[]) name JOIN pg_class ON oid = to_regclass('pg_temp.' || name)`,
      values: [tables.map(({ name }) => name)],
    });
    const known = new Map(rows.map(({ name, reltuples }) => [name, reltuples]));
    for (const { name, definition } of tables)
      if (!known.has(name)) await client.query(keptTable(name, definition));
    return known;
  }

  /** A statement that inserts a few rows. */
  insertion(rows: readonly StagedRow[]): Earlier {
    const columns = this.names.join(', ');
    const items = rows.map((row) => Object.fromEntries(this.names.map((name, index) => [name, row[index]])));
    return {
      name: `stage_into_${this.name}`,
      text: `INSERT INTO ${this.name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${this.name}, $1)`,
      values: [JSON.stringify(items)],
    };
  }
}

/** SQL that makes a temporary table, which the connection keeps and each commit empties. */
export const keptTable = (name: string, columns: string): string =>
  `CREATE TEMPORARY TABLE IF NOT EXISTS ${name} (${columns}) ON COMMIT DELETE ROWS`;

/**
 * The rows of a request in a `StageTable`. COPY streams them, and an INSERT writes a few. A connection streams into one stage at a time:
 * `fill` streams rows as they are made, and other stages keep theirs (`add`) until `load`.
 */
export class Stage {
  /** Rows added so far. */
  count = 0;
  /** Bytes of its chunks so far, which `add` keeps until `load`. */
  keptBytes = 0;
  private text = '';
  private readonly kept: Buffer[] = [];
  /** The rows while there are few. */
  private few: StagedRow[] | undefined = [];
  private stream: Writable | undefined;
  private done: Promise<void> | undefined;
  private failure: Error | undefined;

  constructor(private readonly table: StageTable) {}

  /** Name of the table. */
  get name(): string {
    return this.table.name;
  }

  /** Whether its rows, or their bytes, are many. */
  get hasMany(): boolean {
    return this.few === undefined;
  }

  /** Adds rows, with yields to the event loop, and streams all but the last of many. Skips undefined rows. `load` ends it. */
  async fill(client: PoolClient, rows: Iterable<StagedRow | undefined>): Promise<void> {
    const yielder = new EventLoopYielder();
    try {
      for (const row of rows) {
        if (row) {
          this.add(row);
          if (this.kept.length > 0) await this.flow(client);
        }
        if (yielder.isDue) await yielder.yield();
      }
    } catch (error) {
      // The rollback needs the connection, which must therefore leave COPY.
      this.stream?.destroy(error as Error);
      await this.done?.catch(() => undefined);
      throw error;
    }
  }

  add(row: StagedRow): void {
    this.text += `${row.map(copyText).join('\t')}\n`;
    this.count++;
    if (this.count < MANY_STAGED) this.few?.push(row);
    else this.few = undefined;
    if (this.text.length < CHUNK_BYTES) return;
    this.few = undefined;
    const chunk = Buffer.from(this.text);
    this.kept.push(chunk);
    this.keptBytes += chunk.length;
    this.text = '';
  }

  /** Makes the tables of stages and writes the added rows into them. */
  static async load(client: PoolClient, stages: readonly Stage[]): Promise<void> {
    const small = stages.filter(({ hasMany }) => !hasMany);
    for (const stage of stages) if (stage.hasMany) await stage.copy(client);
    if (small.length === 0) return;
    const known = await StageTable.make(
      client,
      small.map(({ table }) => table),
    );
    await inOneTrip(
      client,
      small.flatMap(({ few, table }) => (few!.length > 0 ? [table.insertion(few!)] : [])),
    );
    for (const { table, count } of small)
      if (!isNearly(known.get(table.name), count)) await client.query(table.analysis);
  }

  /** Streams the rest of many rows, and makes statistics of all. */
  private async copy(client: PoolClient): Promise<void> {
    await this.flow(client);
    this.sink().end(this.text);
    this.text = '';
    await this.done;
    await client.query(this.table.analysis);
  }

  /** Streams the kept chunks. Waits until the database has accepted most of their bytes. */
  private async flow(client: PoolClient): Promise<void> {
    if (!this.stream) await this.open(client);
    for (const chunk of this.kept.splice(0)) {
      this.sink().write(chunk);
      if (this.stream?.writableNeedDrain) await Promise.race([once(this.stream, 'drain'), this.done]);
    }
  }

  private async open(client: PoolClient): Promise<void> {
    await StageTable.make(client, [this.table]);
    this.stream = client.query(copyFrom(`COPY ${this.name} FROM STDIN`));
    this.done = finished(this.stream);
    // Reported by the next await of `done` or by the next write.
    this.done.catch((error: Error) => (this.failure = error));
  }

  /** Returns the stream. @throws the error of a failed connection, which a write to the stream would not report */
  private sink(): Writable {
    if (this.failure) throw this.failure;
    return this.stream!;
  }
}

/** @param known number of rows that statistics are about; negative or absent without any */
function isNearly(known = -1, count: number): boolean {
  return known >= count / NEARLY && (count === 0 || known <= count * NEARLY);
}

function copyText(value: string | number | boolean | Date | null | undefined): string {
  if (typeof value === 'string') return COPY_SPECIAL.test(value) ? escapeCopy(value) : value;
  if (value == null) return '\\N';
  return value instanceof Date ? value.toISOString() : String(value);
}

const COPY_SPECIAL = /[\\\b\f\n\r\t\v]/;
const COPY_ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function escapeCopy(value: string): string {
  return value.replace(/[\\\b\f\n\r\t\v]/g, (character) => COPY_ESCAPES[character]!);
}
