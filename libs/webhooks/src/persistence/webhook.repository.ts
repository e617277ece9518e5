import { Injectable } from '@nestjs/common';
import { JsonItems, type Page, type Position, wireTimestamp } from '#platform/database/json-items';
import { OWN_CELL } from '#platform/database/scope';
import type { SealedColumn } from '#platform/database/sealed-columns';
import { Transactions } from '#platform/database/transactions';
import { Webhook } from '../domain/webhook.entity';

/** Where secrets of endpoints are encrypted. The context binds a secret to its endpoint: moved to another one, it does not open. */
export const WEBHOOK_SEALED: readonly SealedColumn[] = [
  'secret',
  'secret_precedent',
  ...[1, 2, 3, 4].map((place) => `secrets_anciens[${place}]`),
].map((column) => ({
  table: 'webhook',
  key: 'id_unique',
  keyType: 'uuid',
  column,
  context: (tenantId, webhookId) => `webhook ${tenantId} ${webhookId}`,
}));

/** Endpoints of a tenant. Secrets arrive encrypted. */
@Injectable()
export class WebhookRepository {
  private readonly items: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'webhook',
      table: 'webhook',
      key: 'id_unique',
      columns: {
        id: 'id_unique',
        url: 'url',
        types: 'array_to_json(types)',
        actif: 'actif',
        description: 'description',
        signature: 'signature',
        clePublique: 'cle_publique',
        desactiveLe: wireTimestamp('desactive_le'),
        raisonDesactivation: 'raison_desactivation',
        dateCreation: wireTimestamp('date_creation'),
        derniereMAJ: wireTimestamp('derniere_maj'),
      },
    });
  }

  /** @param id of the endpoint (GUID) */
  one(tenantId: string, id: string): Promise<string | undefined> {
    return this.items.one(tenantId, id);
  }

  /** @param types only endpoints that subscribe to no other type; every endpoint if absent */
  page(
    tenantId: string,
    types: readonly string[] | undefined,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.items.page(tenantId, after, limit, [{ sql: 'types <@ ?::text[]', value: types }]);
  }

  async count(tenantId: string): Promise<number> {
    const { rows } = await this.transactions
      .client()
      .query<{ count: number }>('SELECT count(*)::int AS count FROM webhook WHERE tenant_id = $1', [
        tenantId,
      ]);
    return rows[0]!.count;
  }

  /** The number of endpoints of all tenants of the worker's cell that were disabled. */
  async countDisabled(): Promise<number> {
    const [row] = await this.transactions.query<{ count: number }>(OWN_CELL, {
      name: 'webhook_desactives',
      text: 'SELECT count(*)::int AS count FROM webhook WHERE desactive_le IS NOT NULL',
      values: [],
    });
    return row!.count;
  }

  /** Adds an endpoint in the ambient transaction. */
  async insert(webhook: Webhook): Promise<void> {
    await this.transactions.manager().insert(Webhook, webhook);
  }

  /** Returns the endpoint, locked until the ambient transaction ends; null if there is none. */
  lock(tenantId: string, idUnique: string): Promise<Webhook | null> {
    return this.transactions
      .manager()
      .findOne(Webhook, { where: { tenantId, idUnique }, lock: { mode: 'for_no_key_update' } });
  }

  /** Writes a change that partners see. */
  async update(webhook: Webhook): Promise<void> {
    const { tenantId, idUnique } = webhook;
    await this.transactions
      .manager()
      .update(
        Webhook,
        { tenantId, idUnique },
        { ...webhook, derniereMAJ: (): string => 'clock_timestamp()' },
      );
  }

  /** Writes the failures of the endpoint, which partners do not see. */
  async updateHealth({ tenantId, idUnique, echecDepuis, dernierEchec }: Webhook): Promise<void> {
    await this.transactions.manager().update(Webhook, { tenantId, idUnique }, { echecDepuis, dernierEchec });
  }

  /** Removes the endpoint and its deliveries. */
  async delete({ tenantId, idUnique }: Webhook): Promise<void> {
    await this.transactions.manager().delete(Webhook, { tenantId, idUnique });
  }
}
