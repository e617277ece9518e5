import { Injectable } from '@nestjs/common';
import { type Deplacement, DeplacementsService } from '#clients';
import { Transactions } from '#platform/database/transactions';

/** Finds the cells of all data spaces of a directory, as its superuser. */
export const CELLS_OF_SPACES = 'SELECT DISTINCT cellule FROM tenant';

/** Facts that a cell lacks after it was restored without the directory. */
@Injectable()
export class RestoredCell {
  constructor(
    private readonly moves: DeplacementsService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Returns moves that the cell does not know: data spaces that came after the moment of the restore and are not there, and data
   * spaces that left after it and are not closed there.
   */
  async unknownMoves(cell: string, moment: Date): Promise<Deplacement[]> {
    const unknown: Deplacement[] = [];
    for (const move of await this.moves.switchedSince(cell, moment)) {
      const isKnown =
        move.cellule === cell
          ? await this.moves.isThere(move.tenantId)
          : await this.isClosedForGood(cell, move.tenantId);
      if (!isKnown) unknown.push(move);
    }
    return unknown;
  }

  private async isClosedForGood(cell: string, tenantId: string): Promise<boolean> {
    const rows = await this.transactions.query(
      { cell },
      {
        text: `SELECT FROM espace_ferme WHERE tenant_id = $1 AND jusqua = 'infinity'`,
        values: [tenantId],
      },
    );
    return rows.length > 0;
  }
}
