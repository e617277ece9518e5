import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';

/** A consent as it is added to the history. */
export interface NewConsentement {
  readonly employe: string;
  readonly objet: string;
  readonly accepte: boolean;
  readonly date: Date;
}

/** The history of consents, which only grows, in the ambient transaction. */
@Injectable()
export class ConsentementRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * @param valeurs custom values given with the consents, as JSON text in V1's flat form
   * @returns the ids of the new entries, in the order of the consents
   */
  async insert(
    tenantId: string,
    consentements: readonly NewConsentement[],
    valeurs: string,
  ): Promise<string[]> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO consentement
         (tenant_id, id_externe_employe, id_externe_objet, accepte, date_consentement, valeurs_champ)
       SELECT $1::uuid, sent.*, $6::json FROM unnest($2::text[], $3::text[], $4::boolean[], $5::timestamptz[]) sent
       RETURNING id_unique AS id`,
      [
        tenantId,
        consentements.map(({ employe }) => employe),
        consentements.map(({ objet }) => objet),
        consentements.map(({ accepte }) => accepte),
        consentements.map(({ date }) => date),
        valeurs,
      ],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the identifiers that exist. */
  async knownObjets(tenantId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.transactions.query<{ id: string }>(
      { tenantId },
      {
        name: 'objet_consentement_known',
        text: 'SELECT id_externe AS id FROM objet_consentement WHERE tenant_id = $1 AND id_externe = ANY ($2::text[])',
        values: [tenantId, ids],
      },
    );
    return new Set(rows.map(({ id }) => id));
  }
}
