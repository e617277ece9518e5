import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { PoolClient } from 'pg';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';

/** Rows of a table, compressed in memory: they outlive a rollback to a savepoint, which undoes what wrote them. */
export class CopiedRows {
  private constructor(
    private readonly chunks: readonly Buffer[],
    /** Bytes of the rows in COPY's text format. */
    readonly bytes: number,
  ) {}

  /** Copies all rows of a table. */
  static async of(client: PoolClient, table: string): Promise<CopiedRows> {
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
    await pipeline(client.query(copyTo(`COPY ${table} TO STDOUT`)), counted, createZstdCompress(), kept);
    return new CopiedRows(chunks, bytes);
  }

  /** Writes the rows into a table with the same columns. COPY does not write tables under row-level security. */
  async into(client: PoolClient, table: string): Promise<void> {
    const rows = client.query(copyFrom(`COPY ${table} FROM STDIN`));
    await pipeline(Readable.from(this.chunks), createZstdDecompress(), rows);
  }
}
