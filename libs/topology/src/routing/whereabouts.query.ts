import { Injectable } from '@nestjs/common';
import type { Whereabouts } from '#platform/database/databases';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';

/** The cells of data spaces, which the directory keeps. */
@Injectable()
export class WhereaboutsQuery {
  constructor(private readonly transactions: Transactions) {}

  /** The cell and the client of a data space; undefined if the space is not one, but a client. */
  async of(space: string): Promise<Whereabouts | undefined> {
    const [row] = await this.transactions.query<Whereabouts>(ADMINISTRATION, {
      name: 'cell_of',
      text: 'SELECT cellule AS cell, client_id AS "clientId" FROM tenant WHERE id = $1',
      values: [space],
    });
    return row;
  }
}
