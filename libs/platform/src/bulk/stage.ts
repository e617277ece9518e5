import { from as copyFrom } from 'pg-copy-streams';
import type { PoolClient } from 'pg';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { EventLoopYielder } from '../ops/event-loop-yielder';

const CHUNK_BYTES = 64 * 1024;

/** The columns of a stage with their types, in the order of a row's values. */
export type StageColumns = Readonly<
  Record<string, 'text' | 'identifier' | 'integer' | 'boolean' | 'timestamptz'>
>;

export type StagedRow = readonly (string | number | boolean | Date | null | undefined)[];

const SQL_TYPES = { identifier: 'text COLLATE "C"' } as Readonly<Record<string, string>>;

/**
 * A temporary table that COPY fills. A connection streams into one stage at a time: `fill` streams rows as they are made,
 * and other stages buffer their rows (`add`) until `load` streams them.
 */
export class Stage {
  /** Rows added so far. */
  count = 0;
  /** Bytes that `load` will stream. */
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

  /** Creates the table and streams rows into it, with yields to the event loop. Skips undefined rows. */
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
      // The rollback needs the connection, which must therefore leave COPY.
      this.stream?.destroy(error as Error);
      await this.done?.catch(() => undefined);
      throw error;
    }
    await this.close(client);
  }

  add(row: StagedRow): void {
    this.text += `${row.map(copyText).join('\t')}\n`;
    this.count++;
    if (this.text.length < CHUNK_BYTES) return;
    if (this.stream) this.sink().write(this.text);
    else this.keep(Buffer.from(this.text));
    this.text = '';
  }

  /** Creates the table and streams the added rows into it. */
  async load(client: PoolClient): Promise<void> {
    await this.open(client);
    for (const chunk of this.kept.splice(0)) {
      this.sink().write(chunk);
      await this.flowed();
    }
    await this.close(client);
  }

  private keep(chunk: Buffer): void {
    this.kept.push(chunk);
    this.keptBytes += chunk.length;
  }

  private async open(client: PoolClient): Promise<void> {
    const columns = Object.entries(this.columns).map(([name, type]) => `${name} ${SQL_TYPES[type] ?? type}`);
    await client.query(`CREATE TEMPORARY TABLE ${this.name} (${columns.join(', ')}) ON COMMIT DROP`);
    this.stream = client.query(copyFrom(`COPY ${this.name} FROM STDIN`));
    this.done = finished(this.stream);
    // Reported by the next await of `done` or by the next write.
    this.done.catch((error: Error) => (this.failure = error));
  }

  /** Waits until the database has accepted the written bytes. */
  private async flowed(): Promise<void> {
    if (this.stream?.writableNeedDrain) await Promise.race([once(this.stream, 'drain'), this.done]);
  }

  private async close(client: PoolClient): Promise<void> {
    this.sink().end(this.text);
    this.text = '';
    await this.done;
    await client.query(`ANALYZE ${this.name}`);
  }

  /** Returns the stream. @throws the error of a failed connection, which a write to the stream would not report */
  private sink(): Writable {
    if (this.failure) throw this.failure;
    return this.stream!;
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
