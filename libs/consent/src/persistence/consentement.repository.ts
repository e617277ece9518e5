import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import type { ReponseConsentementRecord } from '../domain/consentement.fields';

/** Answers of one person that were given together. */
export interface Reponses {
  readonly employe: string;
  readonly date: Date;
  readonly reponses: readonly ReponseConsentementRecord[];
  /** Custom values given with the answers, in V1's flat form. */
  readonly valeurs: readonly object[];
}

/** The history of consents, which only grows, in the ambient transaction. */
@Injectable()
export class ConsentementRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Adds answers and returns the ids of the new entries, in their order. The ambient transaction has locked the employee. */
  async insert(tenantId: string, { employe, date, reponses, valeurs }: Reponses): Promise<string[]> {
    if (reponses.length === 0) return [];
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO consentement
         (tenant_id, id_externe_employe, id_externe_objet, accepte, date_consentement, valeurs_champ)
       SELECT $1::uuid, $2, sent.*, $5::timestamptz, $6::json FROM unnest($3::text[], $4::boolean[]) sent
       RETURNING id_unique AS id`,
      [
        tenantId,
        employe,
        reponses.map(({ objetConsentementIdExterne }) => objetConsentementIdExterne),
        reponses.map(({ accepte }) => accepte),
        date,
        JSON.stringify(valeurs),
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
