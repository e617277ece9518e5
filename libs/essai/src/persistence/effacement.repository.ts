import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';

/** Removal of the rows of staging data spaces. */
@Injectable()
export class EffacementRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Removes up to `lignes` rows, in the ambient transaction. @returns their number; 0 if none is left */
  step(lignes: number): Promise<number> {
    return this.transactions.value('SELECT essai_effacer($1)', [lignes]);
  }
}
