import { Injectable } from '@nestjs/common';
import { jsonObject, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import type { Written } from '../domain/as-signed';
import type { PaiementRecord } from '../domain/paiement.fields';

const SHOWN = {
  idUnique: 'id_unique',
  idUniqueAdhesion: 'adhesion_id',
  reference: 'reference',
  dateCreation: wireTimestamp('date_creation'),
};

/** Payments and authorizations of payments that are linked to cards, in the ambient transaction. */
@Injectable()
export class PaiementRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Marks a card as paid and locks it against deletion until the transaction ends. Returns false if there is no such card. */
  async markPaid(tenantId: string, adhesionId: string): Promise<boolean> {
    const { rowCount } = await this.transactions
      .client()
      .query('UPDATE adhesion SET avec_paiement = true WHERE tenant_id = $1 AND id_unique = $2', [
        tenantId,
        adhesionId,
      ]);
    return rowCount === 1;
  }

  /** Locks a card against deletion until the transaction ends. Returns false if there is no such card. */
  async hold(tenantId: string, adhesionId: string): Promise<boolean> {
    const { rowCount } = await this.transactions
      .client()
      .query('SELECT FROM adhesion WHERE tenant_id = $1 AND id_unique = $2 FOR KEY SHARE', [
        tenantId,
        adhesionId,
      ]);
    return rowCount === 1;
  }

  /** @returns the payment's id, and the payment as JSON text */
  async insert(tenantId: string, adhesionId: string, record: PaiementRecord): Promise<Written> {
    const { rows } = await this.transactions.client().query<Written>(
      `INSERT INTO paiement (tenant_id, adhesion_id, montant, devise, reference) VALUES ($1, $2, $3, $4, $5)
       RETURNING id_unique AS id, ${jsonObject({ ...SHOWN, montant: 'montant', devise: 'devise' })}::text AS item`,
      [tenantId, adhesionId, record.montant, record.devise, record.reference],
    );
    return rows[0]!;
  }

  /** @returns the authorization's id, and the authorization as JSON text */
  async insertAutorisation(tenantId: string, adhesionId: string, reference: string): Promise<Written> {
    const { rows } = await this.transactions.client().query<Written>(
      `INSERT INTO autorisation_paiement (tenant_id, adhesion_id, reference) VALUES ($1, $2, $3)
       RETURNING id_unique AS id, ${jsonObject(SHOWN)}::text AS item`,
      [tenantId, adhesionId, reference],
    );
    return rows[0]!;
  }
}
