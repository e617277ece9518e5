import type { Transactions } from '../database/transactions';
import type { Json } from '../http/etag';
import type { EventType } from './event-types';

/** Hears of each event in the transaction that it tells of, and may write what follows from it. */
export interface EventListener {
  heard(tenantId: string, event: { readonly id: string; readonly type: EventType }): Promise<void>;
}

/** Events as rows of the transaction that they tell of: each is there if and only if that commits. */
export class Outbox {
  private listener: EventListener | undefined;

  constructor(private readonly transactions: Transactions) {}

  /** Names who hears of every event of this process. */
  tell(listener: EventListener): void {
    this.listener = listener;
  }

  /**
   * @param data what receivers get, as it is sent
   * @returns the event's id
   */
  async add(tenantId: string, type: EventType, data: Json): Promise<string> {
    // An event that nobody hears of would be delivered to nobody, and nothing would say so.
    if (!this.listener) throw new Error('A process that makes events must load the webhooks.');
    const { rows } = await this.transactions.client().query<{ id: string }>({
      name: 'outbox_add',
      text: 'INSERT INTO evenement (tenant_id, type, data) VALUES ($1, $2, $3) RETURNING id_unique AS id',
      values: [tenantId, type, data],
    });
    const { id } = rows[0]!;
    await this.listener.heard(tenantId, { id, type });
    return id;
  }
}
