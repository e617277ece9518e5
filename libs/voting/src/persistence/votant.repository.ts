import { Injectable } from '@nestjs/common';
import { Transactions } from '#shared/database/transactions';
import { ACTIVE } from './campagne.sql';

/** Voters, in the ambient transaction. */
@Injectable()
export class VotantRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Locks a voter; answers whether the voter has voted, or undefined if there is none. */
  async lock(tenantId: string, campagneId: string, id: string): Promise<{ aVote: boolean } | undefined> {
    const { rows } = await this.transactions
      .client()
      .query<{ aVote: boolean }>(
        `SELECT a_vote AS "aVote" FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = $3 FOR UPDATE`,
        [tenantId, campagneId, id],
      );
    return rows[0];
  }

  async delete(tenantId: string, campagneId: string, id: string): Promise<void> {
    await this.transactions
      .client()
      .query('DELETE FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = $3', [
        tenantId,
        campagneId,
        id,
      ]);
  }

  /** Locks those of the voters that there are. */
  async lockAll(
    tenantId: string,
    campagneId: string,
    ids: readonly string[],
  ): Promise<{ id: string; aVote: boolean }[]> {
    const { rows } = await this.transactions.client().query<{ id: string; aVote: boolean }>(
      `SELECT id_unique AS id, a_vote AS "aVote" FROM votant
       WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = ANY ($3::uuid[]) ORDER BY id_unique FOR UPDATE`,
      [tenantId, campagneId, ids],
    );
    return rows;
  }

  /** Gives voters the right to vote, or takes it. */
  async setDroitDeVote(
    tenantId: string,
    campagneId: string,
    ids: readonly string[],
    aDroitDeVote: boolean,
  ): Promise<void> {
    await this.transactions.client().query(
      `UPDATE votant SET a_droit_de_vote = $4
       WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = ANY ($3::uuid[]) AND a_droit_de_vote <> $4`,
      [tenantId, campagneId, ids, aDroitDeVote],
    );
  }

  /**
   * Whether an employee is a voter of an active campaign. An answer of false stays true until the transaction ends, which
   * holds the employee: its voters do not change, nor do their campaigns become active.
   *
   * @param syndicats only voters of one of these unions, or of none, count; every voter does if undefined
   */
  async isVoter(
    tenantId: string,
    employe: string,
    syndicats: readonly string[] | undefined,
  ): Promise<boolean> {
    const client = this.transactions.client();
    // Campaigns before their voters, as where a campaign is deleted. The employee is held: it gets no further voter.
    await client.query(
      `SELECT FROM campagne c WHERE c.tenant_id = $1 AND c.id_unique IN (
         SELECT v.campagne_id FROM votant v WHERE v.tenant_id = $1 AND v.employe_id_externe = $2
       ) ORDER BY c.id_unique FOR KEY SHARE`,
      [tenantId, employe],
    );
    await client.query(
      `SELECT campagne_id FROM votant WHERE tenant_id = $1 AND employe_id_externe = $2 ORDER BY campagne_id FOR SHARE`,
      [tenantId, employe],
    );
    // Another statement: it sees what a publication that held the campaign has written.
    const { rows } = await client.query<{ isVoter: boolean }>(
      `SELECT EXISTS (
         SELECT FROM votant v JOIN campagne c ON c.tenant_id = v.tenant_id AND c.id_unique = v.campagne_id
         WHERE v.tenant_id = $1 AND v.employe_id_externe = $2 AND ${ACTIVE}
           AND ($3::text[] IS NULL OR v.syndicat_id_externe IS NULL OR v.syndicat_id_externe = ANY ($3))
       ) AS "isVoter"`,
      [tenantId, employe, syndicats],
    );
    return rows[0]!.isVoter;
  }

  /** Takes an employee off the rolls of campaigns that have not been published. */
  async removeFromDrafts(tenantId: string, employe: string): Promise<void> {
    await this.transactions.client().query(
      `WITH removed AS (
         DELETE FROM votant v USING campagne c
         WHERE v.tenant_id = $1 AND v.employe_id_externe = $2
           AND c.tenant_id = v.tenant_id AND c.id_unique = v.campagne_id AND NOT c.publiee AND NOT c.archivee
         RETURNING v.campagne_id
       ), held AS (
         SELECT c.id_unique FROM campagne c WHERE c.tenant_id = $1 AND c.id_unique IN (SELECT campagne_id FROM removed)
         ORDER BY c.id_unique FOR NO KEY UPDATE
       )
       UPDATE campagne c SET nombre_votants = nombre_votants - 1 FROM held
       WHERE c.tenant_id = $1 AND c.id_unique = held.id_unique`,
      [tenantId, employe],
    );
  }
}
