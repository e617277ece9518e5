import { Injectable } from '@nestjs/common';
import { JsonItems, type Page, type Position, wireTimestamp } from '#shared/database/json-items';
import { Transactions } from '#shared/database/transactions';
import type { WebhookRecord } from '../domain/webhook.fields';

/** An endpoint whose row the ambient transaction holds. */
export interface HeldWebhook {
  readonly actif: boolean;
  readonly types: string[];
  readonly secret: Buffer;
}

/** Endpoints of a tenant. Secrets are sealed before they come here. */
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

  page(tenantId: string, after: Position | undefined, limit: number): Promise<Page> {
    return this.items.page(tenantId, after, limit, []);
  }

  async count(tenantId: string): Promise<number> {
    const { rows } = await this.transactions
      .client()
      .query<{ count: number }>('SELECT count(*)::int AS count FROM webhook WHERE tenant_id = $1', [
        tenantId,
      ]);
    return rows[0]!.count;
  }

  /** Adds an endpoint in the ambient transaction. */
  async insert(tenantId: string, id: string, record: WebhookRecord, secret: Buffer): Promise<void> {
    await this.transactions.client().query(
      `INSERT INTO webhook (tenant_id, id_unique, url, types, actif, description, secret)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [tenantId, id, record.url, record.types, record.actif ?? true, record.description, secret],
    );
  }

  /** Holds the endpoint's row until the ambient transaction ends; undefined if there is none. */
  async lock(tenantId: string, id: string): Promise<HeldWebhook | undefined> {
    const { rows } = await this.transactions
      .client()
      .query<HeldWebhook>(
        'SELECT actif, types, secret FROM webhook WHERE tenant_id = $1 AND id_unique = $2 FOR NO KEY UPDATE',
        [tenantId, id],
      );
    return rows[0];
  }

  /** Replaces what partners write. Another address, or one that is activated, begins without a past of failures. */
  async update(tenantId: string, id: string, record: WebhookRecord): Promise<void> {
    await this.transactions.client().query(
      `UPDATE webhook SET url = $3, types = $4, actif = $5, description = $6, derniere_maj = clock_timestamp(),
         echec_depuis = CASE WHEN url = $3 AND (actif OR NOT $5) THEN echec_depuis END,
         dernier_echec = CASE WHEN url = $3 AND (actif OR NOT $5) THEN dernier_echec END,
         desactive_le = CASE WHEN NOT $5 THEN desactive_le END,
         raison_desactivation = CASE WHEN NOT $5 THEN raison_desactivation END
       WHERE tenant_id = $1 AND id_unique = $2`,
      [tenantId, id, record.url, record.types, record.actif ?? true, record.description],
    );
  }

  /** Puts a new secret in the place of the old one, which goes on signing until a time. */
  async rotate(tenantId: string, id: string, secret: Buffer, previous: Buffer, until: Date): Promise<void> {
    await this.transactions.client().query(
      `UPDATE webhook SET secret = $3, secret_precedent = $4, secret_precedent_jusqua = $5,
         derniere_maj = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2`,
      [tenantId, id, secret, previous, until],
    );
  }

  /** Removes the endpoint with the log of its deliveries. */
  async delete(tenantId: string, id: string): Promise<void> {
    await this.transactions
      .client()
      .query('DELETE FROM webhook WHERE tenant_id = $1 AND id_unique = $2', [tenantId, id]);
  }

  /** Notes that an endpoint accepted something after failures. */
  async recovered(tenantId: string, id: string): Promise<void> {
    await this.transactions.client().query(
      `UPDATE webhook SET echec_depuis = NULL, dernier_echec = NULL
         WHERE tenant_id = $1 AND id_unique = $2 AND echec_depuis IS NOT NULL`,
      [tenantId, id],
    );
  }

  /**
   * Notes that an address accepts nothing; answers since when. After five days without an attempt it is counted anew: one
   * failure does not disable an endpoint that nothing was sent to for weeks.
   *
   * @param url that was tried; undefined is answered where the endpoint has another one by now
   */
  async failing(tenantId: string, id: string, url: string, at: Date): Promise<Date | undefined> {
    const { rows } = await this.transactions.client().query<{ since: Date }>(
      `UPDATE webhook SET dernier_echec = $4,
         echec_depuis = CASE WHEN dernier_echec > $4::timestamptz - interval '5 days' THEN echec_depuis ELSE $4 END
       WHERE tenant_id = $1 AND id_unique = $2 AND url = $3 RETURNING echec_depuis AS since`,
      [tenantId, id, url, at],
    );
    return rows[0]?.since;
  }

  /** Sends nothing more to an address; false if it is no longer that of the endpoint, or nothing was sent any more. */
  async disable(tenantId: string, id: string, url: string, at: Date, reason: string): Promise<boolean> {
    const { rowCount } = await this.transactions.client().query(
      `UPDATE webhook SET actif = false, desactive_le = $4, raison_desactivation = $5, derniere_maj = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2 AND url = $3 AND actif`,
      [tenantId, id, url, at, reason],
    );
    return rowCount === 1;
  }
}
