import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';

/** Time of the clock of a data space, and the latest time that it may show. */
export interface ShownTime {
  readonly maintenant: Date;
  readonly auPlus: Date;
}

/** Clocks of rehearsals (docs/adr/0058). Functions of the database write them. */
@Injectable()
export class HorlogeRepository {
  constructor(private readonly transactions: Transactions) {}

  /** How far the clock is ahead, in ms; 0 if it was never moved. */
  async aheadMs(tenantId: string): Promise<number> {
    const [row] = await this.transactions.lookUp<{ ms: number }>(
      { tenantId },
      {
        name: 'horloge_avance',
        text: 'SELECT coalesce(extract(epoch FROM horloge_decalage()) * 1000, 0)::float8 AS ms',
        values: [],
      },
    );
    return row!.ms;
  }

  async read(tenantId: string): Promise<ShownTime> {
    const [row] = await this.transactions.query<ShownTime>(
      { tenantId },
      {
        name: 'horloge_lire',
        text: `SELECT date_trunc('milliseconds', tenant_clock(clock_timestamp())) AS maintenant,
                 date_trunc('milliseconds', clock_timestamp() + interval '2 years') AS "auPlus"`,
        values: [],
      },
    );
    return row!;
  }

  /** Moves the clock, in the ambient transaction. @returns false if it shows this time or a later one already */
  advance(maintenant: Date): Promise<boolean> {
    return this.transactions.value('SELECT horloge_avancer($1)', [maintenant]);
  }

  /** Puts the clock back to the real time, in the ambient transaction. */
  async reset(): Promise<void> {
    await this.transactions.client().query('SELECT horloge_remettre()');
  }
}
