import { Injectable } from '@nestjs/common';
import { Maintenance } from '#platform/database/maintenance';
import { Transactions } from '#platform/database/transactions';

/** Removal of the rows of staging data spaces. */
@Injectable()
export class EffacementRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly maintenance: Maintenance,
  ) {}

  /** Removes all rows, in the ambient transaction, which gets the time limits of maintenance. */
  async erase(): Promise<void> {
    await this.maintenance.raiseTimeLimits();
    await this.transactions.client().query('SELECT essai_effacer()');
  }
}
