import type { Transactions } from '../database/transactions';
import type { Json } from '../http/etag';

/** What the service tells others of (decisions, section 12). */
export type EventType = 'adhesion.signee' | 'adhesion.supprimee' | 'conciliation.demandee';

/** Events as rows of the transaction that they tell of: each is there if and only if that commits. */
export class Outbox {
  constructor(private readonly transactions: Transactions) {}

  /** @param data what receivers get, as it is sent */
  async add(tenantId: string, type: EventType, data: Json): Promise<void> {
    await this.transactions
      .client()
      .query('INSERT INTO evenement (tenant_id, type, data) VALUES ($1, $2, $3)', [tenantId, type, data]);
  }
}
