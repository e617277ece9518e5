import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { PoolClient } from 'pg';
import { PassThrough, Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';

/** Changes one row in COPY's text format, without the end of its line. */
export type RowStep = (row: Buffer) => Buffer;

/** Rows in COPY's text format, compressed in memory: they outlive a rollback to a savepoint, which undoes what wrote them. */
export class CopiedRows {
  private constructor(
    private readonly chunks: readonly Buffer[],
    /** Bytes of the rows in COPY's text format. */
    readonly bytes: number,
  ) {}

  /** Copies all rows of a table, or of a query in parentheses. */
  static async of(client: PoolClient, source: string): Promise<CopiedRows> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const counted = new PassThrough();
    counted.on('data', (chunk: Buffer) => (bytes += chunk.length));
    const kept = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        chunks.push(chunk);
        done();
      },
    });
    await pipeline(client.query(copyTo(`COPY ${source} TO STDOUT`)), counted, createZstdCompress(), kept);
    return new CopiedRows(chunks, bytes);
  }

  /** Writes the rows into a table with the same columns. COPY does not write tables under row-level security. */
  async into(client: PoolClient, table: string, step?: RowStep): Promise<void> {
    const rows = client.query(copyFrom(`COPY ${table} FROM STDIN`));
    const steps = step ? [perRow(step)] : [];
    await pipeline([Readable.from(this.chunks), createZstdDecompress(), ...steps, rows]);
  }
}

const LINE_END = 0x0a;

function perRow(step: RowStep): Transform {
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const rows: Buffer[] = [];
      let start = 0;
      for (let end: number; (end = all.indexOf(LINE_END, start)) !== -1; start = end + 1)
        rows.push(step(all.subarray(start, end)), Buffer.of(LINE_END));
      rest = Buffer.from(all.subarray(start));
      done(null, Buffer.concat(rows));
    },
  });
}
