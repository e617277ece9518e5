import { Injectable } from '@nestjs/common';
import { Transactions } from '../database/transactions';
import type { Json } from '../database/json';
import type { EventDefinition } from './event-type';

/** Receives each event in the transaction that records it, and may write in that transaction. */
export interface EventListener {
  onEvent(tenantId: string, event: { readonly id: string; readonly type: string }): Promise<void>;
}

/** Writes events in the transaction that they report: an event is stored if and only if that transaction commits. */
@Injectable()
export class Outbox {
  private listener: EventListener | undefined;

  constructor(private readonly transactions: Transactions) {}

  /** Registers the listener for this process's events. */
  subscribe(listener: EventListener): void {
    this.listener = listener;
  }

  /**
   * @param data the event's data, as receivers get it
   * @returns the event's id
   * @throws Error if no listener is registered
   */
  async add(tenantId: string, { type }: EventDefinition, data: Json): Promise<string> {
    // Without a listener, the event would be stored but never delivered, and no error would show it.
    if (!this.listener) throw new Error('A process that makes events must load the webhooks.');
    const { rows } = await this.transactions.client().query<{ id: string }>({
      name: 'outbox_add',
      text: 'INSERT INTO evenement (tenant_id, type, data) VALUES ($1, $2, $3) RETURNING id_unique AS id',
      values: [tenantId, type, data],
    });
    const { id } = rows[0]!;
    await this.listener.onEvent(tenantId, { id, type });
    return id;
  }
}
