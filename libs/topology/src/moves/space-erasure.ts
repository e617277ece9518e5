import type { Client } from 'pg';
import { connectForCopy, removeSpace } from './space-copy';
import { closeSpace, MOVERS, WRITERS } from './move-connections';

/** Erasure of data spaces with the login of migrations. Each step may be repeated. */
export class SpaceErasure {
  private constructor(private readonly directory: Client) {}

  static async open(directoryUrl: string): Promise<SpaceErasure> {
    return new SpaceErasure(await connectForCopy(directoryUrl));
  }

  /** Takes a data space until the connection ends. @returns false if a mover or another process has it */
  async claim(tenantId: string): Promise<boolean> {
    const { rows } = await this.directory.query<{ isFree: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended($1, $2)) AND NOT EXISTS
         (SELECT FROM deplacement WHERE tenant_id = $1::uuid AND date_fin IS NULL) AS "isFree"`,
      [tenantId, MOVERS],
    );
    return rows[0]!.isFree;
  }

  /** Lets the cell refuse writes of the data space for good, waits for those that run, and removes its rows and jobs. @param removeJobs SQL */
  async removeRows(cellUrl: string, tenantId: string, removeJobs: string): Promise<void> {
    const cell = await connectForCopy(cellUrl);
    try {
      await closeSpace(cell, tenantId, `'infinity'`);
      await cell.query('SELECT pg_advisory_lock(hashtextextended($1, $2))', [tenantId, WRITERS]);
      await removeSpace(cell, tenantId);
      await cell.query(removeJobs, [tenantId]);
    } finally {
      await cell.end();
    }
  }

  /** Removes keys, moves and entries of data spaces from the directory. */
  async forget(tenantIds: readonly string[]): Promise<void> {
    await this.directory.query(
      `WITH keys AS (DELETE FROM cle WHERE tenant_id = ANY ($1::uuid[])),
         moves AS (DELETE FROM deplacement WHERE tenant_id = ANY ($1::uuid[]))
       DELETE FROM tenant WHERE id = ANY ($1::uuid[])`,
      [tenantIds],
    );
  }

  async close(): Promise<void> {
    await this.directory.end().catch(() => undefined);
  }
}
