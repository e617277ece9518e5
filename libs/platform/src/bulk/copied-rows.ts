import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { PoolClient } from 'pg';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';

/** Bytes of a stored piece of compressed rows. */
const PIECE_BYTES = 256 * 1_024;

/** Rows in COPY's text format, compressed in memory: they outlive a rollback to a savepoint, which undoes what wrote them. */
export class CopiedRows {
  private constructor(
    private readonly chunks: readonly Buffer[],
    /** Bytes of the rows in COPY's text format; 0 if they were read from pieces. */
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

  /** Returns the rows of `pieces`. */
  static ofPieces(pieces: readonly Buffer[]): CopiedRows {
    return new CopiedRows(pieces, 0);
  }

  /** Returns the compressed rows in pieces to be stored; an empty array without rows. */
  pieces(): Buffer[] {
    if (this.bytes === 0) return [];
    const all = Buffer.concat(this.chunks);
    const starts = Array.from(
      { length: Math.ceil(all.length / PIECE_BYTES) },
      (_, index) => index * PIECE_BYTES,
    );
    return starts.map((start) => all.subarray(start, start + PIECE_BYTES));
  }

  /** Writes the rows into a table with the same columns. COPY does not write tables under row-level security. */
  async into(client: PoolClient, table: string): Promise<void> {
    const rows = client.query(copyFrom(`COPY ${table} FROM STDIN`));
    await pipeline(Readable.from(this.chunks), createZstdDecompress(), rows);
  }

  /** Returns whether a row has one of the values in a column that is not the first or the last one. */
  async containAny(values: readonly string[]): Promise<boolean> {
    // COPY doubles backslashes, and identifiers have no character that it would escape otherwise.
    const wanted = values.map((value) => Buffer.from(`\t${value.replaceAll('\\', '\\\\')}\t`));
    const longest = Math.max(0, ...wanted.map(({ length }) => length));
    let rest = Buffer.alloc(0);
    for await (const chunk of Readable.from(this.chunks).pipe(
      createZstdDecompress(),
    ) as AsyncIterable<Buffer>) {
      const all = Buffer.concat([rest, chunk]);
      if (wanted.some((one) => all.includes(one))) return true;
      rest = all.subarray(Math.max(0, all.length - longest));
    }
    return false;
  }
}
