import { Injectable } from '@nestjs/common';
import { Transactions } from '../database/transactions';
import type { Json } from '../database/json';
import type { EventDefinition } from './event-type';

/** An event that was recorded, with its data as receivers get it. */
export interface RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Json;
}

/** Receives each event in the transaction that records it, and may write in that transaction. */
export interface EventListener {
  onEvent(tenantId: string, event: RecordedEvent): Promise<void>;
}

/** Writes events in the transaction that they report: an event is stored if and only if that transaction commits. */
@Injectable()
export class Outbox {
  private readonly listeners: EventListener[] = [];

  constructor(private readonly transactions: Transactions) {}

  /** Registers a listener for this process's events. */
  subscribe(listener: EventListener): void {
    this.listeners.push(listener);
  }

  /**
   * @param data the event's data, as receivers get it
   * @param known the event's id, if the work may be repeated: only the first call adds the event
   * @returns the event's id
   * @throws Error if no listener is registered
   */
  async add(tenantId: string, { type }: EventDefinition, data: Json, known?: string): Promise<string> {
    // Without a listener, the event would be stored but never delivered, and no error would show it.
    if (this.listeners.length === 0) throw new Error('A process that makes events must load the webhooks.');
    const { rows } = await this.transactions.client().query<{ id: string }>({
      name: 'outbox_add',
      text: `INSERT INTO evenement (tenant_id, type, data, id_unique) VALUES ($1, $2, $3, coalesce($4, uuidv7()))
        ON CONFLICT (tenant_id, id_unique) DO NOTHING RETURNING id_unique AS id`,
      values: [tenantId, type, data, known],
    });
    const id = rows[0]?.id;
    if (id) for (const listener of this.listeners) await listener.onEvent(tenantId, { id, type, data });
    return id ?? known!;
  }
}
