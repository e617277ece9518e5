import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import { ACTIVE } from './panne.repository';

/** Time of the clock of a data space, and the latest time that it may show. */
export interface ShownTime {
  readonly maintenant: Date;
  readonly auPlus: Date;
}

/** The state of a rehearsal that applies to a request. */
export interface EtatEssai {
  /** How far the clock of the data space is ahead, in ms; 0 if it was never moved. */
  readonly aheadMs: number;
  /** Whether the route has a failure on demand. */
  readonly panne: boolean;
}

/** Clocks of rehearsals (docs/adr/0058). Functions of the database write them. */
@Injectable()
export class HorlogeRepository {
  constructor(private readonly transactions: Transactions) {}

  async ofRequest(tenantId: string, route: string): Promise<EtatEssai> {
    const [row] = await this.transactions.lookUp<EtatEssai>(
      { tenantId },
      {
        name: 'essai_of_request',
        text: `SELECT coalesce(extract(epoch FROM horloge_decalage()) * 1000, 0)::float8 AS "aheadMs",
                 EXISTS (SELECT FROM panne_essai WHERE tenant_id = $1 AND route = $2 AND ${ACTIVE}) AS panne`,
        values: [tenantId, route],
      },
    );
    return row!;
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
