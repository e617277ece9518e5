import { Injectable } from '@nestjs/common';
import { Cells } from '#platform/database/databases';
import type { Statement } from '#platform/database/one-trip';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';

/** The cells of data spaces, which the directory keeps. */
@Injectable()
export class CellQuery {
  constructor(
    private readonly transactions: Transactions,
    private readonly cells: Cells,
  ) {}

  /** The data spaces of the worker's cell. */
  async ownSpaces(): Promise<string[]> {
    const rows = await this.transactions.query<{ id: string }>(ADMINISTRATION, {
      name: 'cell_own_spaces',
      text: 'SELECT id FROM tenant WHERE cellule = ANY ($1)',
      values: [this.cells.ownNames],
    });
    return rows.map(({ id }) => id);
  }

  /** Number of data spaces of each cell that has any. */
  async counts(): Promise<ReadonlyMap<string, number>> {
    return this.countsOf({
      name: 'cell_counts',
      text: 'SELECT cellule, count(*)::int AS count FROM tenant GROUP BY cellule',
      values: [],
    });
  }

  /** Number of data spaces of each cell that has or will have any: a client without one counts as one. */
  async loads(): Promise<ReadonlyMap<string, number>> {
    return this.countsOf({
      name: 'cell_loads',
      text: `SELECT cellule, count(*)::int AS count FROM (SELECT cellule FROM tenant UNION ALL
        SELECT cellule FROM client c WHERE NOT EXISTS (SELECT FROM tenant WHERE client_id = c.id)) GROUP BY cellule`,
      values: [],
    });
  }

  private async countsOf(statement: Statement): Promise<ReadonlyMap<string, number>> {
    const rows = await this.transactions.query<{ cellule: string; count: number }>(ADMINISTRATION, statement);
    return new Map(rows.map(({ cellule, count }) => [cellule, count]));
  }

  /** Size of a cell's database in bytes. */
  async size(name: string): Promise<number> {
    const [row] = await this.transactions.query<{ size: number }>(
      { cell: name },
      { name: 'cell_size', text: 'SELECT pg_database_size(current_database())::float8 AS size', values: [] },
    );
    return row!.size;
  }
}
