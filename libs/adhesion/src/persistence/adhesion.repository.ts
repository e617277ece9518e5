import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import type { AsSigned } from '../domain/as-signed';
import { MOST_DELETED } from '../domain/card-deletion.rules';
import { insertSigned } from './as-signed.sql';

/** The employee of a card. It never changes. */
export interface Signer {
  readonly idExterne: string;
  readonly idUnique: string;
}

/** The parts of a card that its deletion checks. */
export interface HeldAdhesion {
  readonly id: string;
  readonly employe: string;
  readonly employeIdUnique: string;
  readonly syndicat: string;
  readonly dateSignature: Date;
  readonly avecPaiement: boolean;
  readonly avecAutorisation: boolean;
}

/** Signed cards, in the ambient transaction. */
@Injectable()
export class AdhesionRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Adds a card. Returns its id. @param id the service chooses one if absent */
  async insert(tenantId: string, signer: Signer, signed: AsSigned, id?: string): Promise<string> {
    const { text, values } = insertSigned('adhesion', signed, {
      tenant_id: tenantId,
      id_externe_employe: signer.idExterne,
      employe_id_unique: signer.idUnique,
      ...(id === undefined ? {} : { id_unique: id }),
    });
    const { rows } = await this.transactions.client().query<{ id: string }>(text, values);
    return rows[0]!.id;
  }

  /** The external identifier of a card's employee. */
  async employeOf(tenantId: string, id: string): Promise<string | undefined> {
    const { rows } = await this.transactions.client().query<{
      employe: string;
    }>('SELECT id_externe_employe AS employe FROM adhesion WHERE tenant_id = $1 AND id_unique = $2', [tenantId, id]);
    return rows[0]?.employe;
  }

  /** Locks a card and returns the reasons that block its deletion. Nothing can be linked to it until the transaction ends. */
  lock(tenantId: string, id: string): Promise<HeldAdhesion[]> {
    return this.lockWhere('id_unique = $2', [tenantId, id]);
  }

  /**
   * Locks an employee's cards, all or those of one union, and returns the reasons that block their deletion.
   *
   * @returns `MOST_DELETED` and one at the most
   */
  lockOf(tenantId: string, employe: string, syndicat: string | null | undefined): Promise<HeldAdhesion[]> {
    return syndicat === undefined
      ? this.lockWhere('id_externe_employe = $2', [tenantId, employe])
      : this.lockWhere('id_externe_employe = $2 AND syndicat_id_externe = $3', [tenantId, employe, syndicat]);
  }

  private async lockWhere(condition: string, values: readonly (string | null)[]): Promise<HeldAdhesion[]> {
    const client = this.transactions.client();
    const locked = await client.query<{ id: string }>(
      `SELECT id_unique AS id FROM adhesion WHERE tenant_id = $1 AND ${condition} ORDER BY id_unique LIMIT ${MOST_DELETED + 1} FOR UPDATE`,
      [...values],
    );
    // A second statement, because it must see the rows that the previous holders of the locks wrote.
    const { rows } = await client.query<HeldAdhesion>(
      `SELECT id_unique AS id, id_externe_employe AS employe, employe_id_unique AS "employeIdUnique",
         syndicat_id_externe AS syndicat, date_signature AS "dateSignature", avec_paiement AS "avecPaiement",
         EXISTS (
           SELECT FROM autorisation_paiement p WHERE p.tenant_id = $1 AND p.adhesion_id = a.id_unique
         ) AS "avecAutorisation"
       FROM adhesion a WHERE tenant_id = $1 AND id_unique = ANY ($2::uuid[]) ORDER BY date_signature, id_unique`,
      [values[0], locked.rows.map(({ id }) => id)],
    );
    return rows;
  }

  /** Removes cards with their signatures. */
  async delete(tenantId: string, ids: readonly string[]): Promise<void> {
    await this.transactions
      .client()
      .query('DELETE FROM adhesion WHERE tenant_id = $1 AND id_unique = ANY ($2::uuid[])', [tenantId, ids]);
  }
}
