import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';

/** A card with its signature, if it has one. */
export interface SignedImage {
  readonly adhesionId: string;
  readonly dateSignature: Date;
  readonly png: Buffer | null;
}

const READ = `
  SELECT a.id_unique AS "adhesionId", a.date_signature AS "dateSignature", s.png
  FROM adhesion a LEFT JOIN signature_manuscrite s ON s.tenant_id = a.tenant_id AND s.adhesion_id = a.id_unique
  WHERE a.tenant_id = $1`;

/** Handwritten signatures, in the ambient transaction. */
@Injectable()
export class SignatureRepository {
  constructor(private readonly transactions: Transactions) {}

  async insert(
    tenantId: string,
    of: { adhesionId: string } | { demandeId: string },
    png: Buffer,
  ): Promise<void> {
    const [column, id] = 'adhesionId' in of ? ['adhesion_id', of.adhesionId] : ['demande_id', of.demandeId];
    await this.transactions
      .client()
      .query(`INSERT INTO signature_manuscrite (tenant_id, ${column}, png) VALUES ($1, $2, $3)`, [
        tenantId,
        id,
        png,
      ]);
  }

  /** Moves the signature of a request, if it has one, to the card made of the request. */
  async move(tenantId: string, demandeId: string, adhesionId: string): Promise<void> {
    await this.transactions
      .client()
      .query(
        `UPDATE signature_manuscrite SET adhesion_id = $3, demande_id = NULL WHERE tenant_id = $1 AND demande_id = $2`,
        [tenantId, demandeId, adhesionId],
      );
  }

  async deleteOfDemande(tenantId: string, demandeId: string): Promise<void> {
    await this.transactions
      .client()
      .query('DELETE FROM signature_manuscrite WHERE tenant_id = $1 AND demande_id = $2', [
        tenantId,
        demandeId,
      ]);
  }

  /** A card, with its signature. */
  async ofAdhesion(tenantId: string, id: string): Promise<SignedImage | undefined> {
    const { rows } = await this.transactions
      .client()
      .query<SignedImage>(`${READ} AND a.id_unique = $2`, [tenantId, id]);
    return rows[0];
  }

  /** Returns the employee's most recent card with a signature. */
  async latestOf(tenantId: string, employe: string): Promise<SignedImage | undefined> {
    const { rows } = await this.transactions.client().query<SignedImage>(
      `${READ} AND a.id_externe_employe = $2 AND a.a_signature_manuscrite
       ORDER BY a.date_signature DESC, a.id_unique DESC LIMIT 1`,
      [tenantId, employe],
    );
    return rows[0];
  }
}
