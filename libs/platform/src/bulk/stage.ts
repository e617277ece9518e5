import { from as copyFrom } from 'pg-copy-streams';
import type { PoolClient } from 'pg';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { EventLoopYielder } from '../ops/event-loop-yielder';

const CHUNK_BYTES = 64 * 1024;

/** The columns of a stage with their types, in the order in which rows give them. */
export type StageColumns = Readonly<
  Record<string, 'text' | 'identifier' | 'integer' | 'boolean' | 'timestamptz'>
>;

export type StagedRow = readonly (string | number | boolean | Date | null | undefined)[];

const SQL_TYPES = { identifier: 'text COLLATE "C"' } as Readonly<Record<string, string>>;

/**
 * Rows on their way into the database: lines of COPY into one temporary table. Either streamed (`open`, `add`, `flowed`,
 * `close`), or kept until another stage of the same connection is done with streaming (`add`, `load`).
 */
export class Stage {
  /** Rows added so far. */
  count = 0;
  /** Bytes that wait for `load`. */
  keptBytes = 0;
  private text = '';
  private readonly kept: Buffer[] = [];
  private stream: Writable | undefined;
  private done: Promise<void> | undefined;
  private failure: Error | undefined;

  constructor(
    readonly name: string,
    private readonly columns: StageColumns,
  ) {}

  add(row: StagedRow): void {
    this.text += `${row.map(copyText).join('\t')}\n`;
    this.count++;
    if (this.text.length < CHUNK_BYTES) return;
    if (this.stream) this.sink().write(this.text);
    else this.keep(Buffer.from(this.text));
    this.text = '';
  }

  private keep(chunk: Buffer): void {
    this.kept.push(chunk);
    this.keptBytes += chunk.length;
  }

  /** Makes the table and streams what is added from now on. */
  async open(client: PoolClient): Promise<void> {
    const columns = Object.entries(this.columns).map(([name, type]) => `${name} ${SQL_TYPES[type] ?? type}`);
    await client.query(`CREATE TEMPORARY TABLE ${this.name} (${columns.join(', ')}) ON COMMIT DROP`);
    this.stream = client.query(copyFrom(`COPY ${this.name} FROM STDIN`));
    this.done = finished(this.stream);
    // Reported where `done` is awaited, or at the next write.
    this.done.catch((error: Error) => (this.failure = error));
  }

  /** Waits until the database has taken what was added. Only needed where much is. */
  async flowed(): Promise<void> {
    if (this.stream?.writableNeedDrain) await Promise.race([once(this.stream, 'drain'), this.done]);
  }

  /** Ends the stream; the table is ready, with its statistics. */
  async close(client: PoolClient): Promise<void> {
    this.sink().end(this.text);
    this.text = '';
    await this.done;
    await client.query(`ANALYZE ${this.name}`);
  }

  /** Makes the table from rows as they are made, with pauses for others. Undefined stands for a row that is left out. */
  async fill(client: PoolClient, rows: Iterable<StagedRow | undefined>): Promise<void> {
    await this.open(client);
    const yielder = new EventLoopYielder();
    try {
      for (const row of rows) {
        if (row) {
          this.add(row);
          await this.flowed();
        }
        if (yielder.isDue) await yielder.yield();
      }
    } catch (error) {
      await this.abandon(error as Error);
      throw error;
    }
    await this.close(client);
  }

  /** Makes the table from what was added. */
  async load(client: PoolClient): Promise<void> {
    await this.open(client);
    for (const chunk of this.kept.splice(0)) {
      this.sink().write(chunk);
      await this.flowed();
    }
    await this.close(client);
  }

  /** The stream to write to: one whose connection has failed takes nothing more, and would not say why. */
  private sink(): Writable {
    if (this.failure) throw this.failure;
    return this.stream!;
  }

  /** Gives up in the middle of a stream: the connection must not stay in COPY, the transaction's rollback needs it. */
  async abandon(error: Error): Promise<void> {
    this.stream?.destroy(error);
    await this.done?.catch(() => undefined);
  }
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
