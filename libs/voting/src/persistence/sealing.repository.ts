import { Injectable } from '@nestjs/common';
import { ADMINISTRATION, Transactions } from '#shared/database/transactions';
import type { KeptResult } from './statistics.query';

/** Campaigns that are looked for at once. */
const MOST_DUE = 100;

/** Roll, ballots and receipts written anew, in the ambient transaction. */
@Injectable()
export class SealingRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Campaigns of all tenants whose ballot box is closed and not sealed, those that ended first before others. */
  due(): Promise<{ tenantId: string; id: string }[]> {
    return this.transactions.query(ADMINISTRATION, {
      name: 'campagne_scellement_du',
      text: `SELECT tenant_id AS "tenantId", id_unique AS id FROM campagne WHERE urne_close AND NOT urne_scellee
             ORDER BY fermeture_du_vote_utc LIMIT ${MOST_DUE}`,
      values: [],
    });
  }

  /**
   * Gets hold of a campaign that is to be sealed, so that nobody else seals it and it stays; the ambient transaction may
   * then take longer than those of requests.
   *
   * @returns false where somebody else is sealing it, or nothing is to be sealed
   */
  async begin(tenantId: string, id: string): Promise<boolean> {
    const { rows } = await this.transactions.client().query<{ isFree: boolean }>(
      `SELECT set_config('transaction_timeout', '0', true), set_config('statement_timeout', '30min', true),
         set_config('idle_in_transaction_session_timeout', '10min', true),
         pg_try_advisory_xact_lock(hashtextextended($1, 4)) AS "isFree"`,
      [`${tenantId} ${id}`],
    );
    if (!rows[0]!.isFree) return false;
    const { rowCount } = await this.transactions
      .client()
      .query(
        `SELECT FROM campagne WHERE tenant_id = $1 AND id_unique = $2 AND urne_close AND NOT urne_scellee FOR KEY SHARE`,
        [tenantId, id],
      );
    return rowCount === 1;
  }

  /** Keeps how many voters there are by union and employer, and writes the roll anew in an order of chance. */
  async sealRoll(tenantId: string, id: string): Promise<void> {
    const client = this.transactions.client();
    await client.query(
      `INSERT INTO participation (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe,
         inscrits, avec_droit, ayant_vote)
       SELECT tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe,
         count(*), count(*) FILTER (WHERE a_droit_de_vote), count(*) FILTER (WHERE a_vote)
       FROM votant WHERE tenant_id = $1 AND campagne_id = $2 GROUP BY 1, 2, 3, 4`,
      [tenantId, id],
    );
    await client.query(
      `WITH taken AS (DELETE FROM votant WHERE tenant_id = $1 AND campagne_id = $2 RETURNING ${VOTANT_COLUMNS})
       INSERT INTO votant (${VOTANT_COLUMNS}) SELECT ${VOTANT_COLUMNS} FROM taken ORDER BY random()`,
      [tenantId, id],
    );
  }

  /** Keeps the whole result. */
  async keepResult(
    tenantId: string,
    id: string,
    { inscrits, avecDroit, ayantVote, texte }: KeptResult,
  ): Promise<void> {
    await this.transactions.client().query(
      `INSERT INTO resultat (tenant_id, campagne_id, inscrits, avec_droit, ayant_vote, questions)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [tenantId, id, inscrits, avecDroit, ayantVote, texte],
    );
  }

  /** Keeps the count by union and employer, and writes ballots and receipts anew in an order of chance. */
  async sealBox(id: string): Promise<void> {
    await this.transactions.client().query('SELECT urne_sceller($1)', [id]);
  }
}

const VOTANT_COLUMNS = [
  'tenant_id',
  'campagne_id',
  'id_unique',
  'identifiant',
  'prenom',
  'nom',
  'courriel',
  'employe_id_externe',
  'syndicat_id_externe',
  'employeur_identifiant_externe',
  'a_droit_de_vote',
  'a_vote',
  'poids',
  'date_creation',
].join(', ');
