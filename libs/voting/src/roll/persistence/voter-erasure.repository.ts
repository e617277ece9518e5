import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';

/** The class of advisory locks under which ballot boxes are sealed. */
const SEALING = 4;

/** Preparations of an erasure in the campaigns of the person's voters, in the ambient transaction. */
@Injectable()
export class VoterErasureRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Returns whether one of the voters is on the roll of a campaign whose box is open. If not, locks their campaigns. */
  async hasOpenBox(tenantId: string, votants: readonly string[]): Promise<boolean> {
    const { rows } = await this.transactions.client().query<{ isOpen: boolean }>(
      `SELECT c.publiee AND NOT c.archivee AND NOT c.urne_close AS "isOpen" FROM campagne c
       WHERE c.tenant_id = $1 AND c.id_unique IN (
         SELECT v.campagne_id FROM votant v WHERE v.tenant_id = $1 AND v.id_unique = ANY ($2::uuid[]))
       ORDER BY c.id_unique FOR KEY SHARE`,
      [tenantId, votants],
    );
    return rows.some(({ isOpen }) => isOpen);
  }

  /**
   * Prevents the sealing of the voters' campaigns until the transaction ends, because a sealing rewrites the roll and
   * would restore erased names. @returns false if one of the campaigns is being sealed
   */
  async keepFromSealing(tenantId: string, votants: readonly string[]): Promise<boolean> {
    const { rows } = await this.transactions.client().query<{ isFree: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended($3 || ' ' || campagne, ${SEALING})) AS "isFree"
       FROM (SELECT DISTINCT campagne_id::text AS campagne FROM votant WHERE tenant_id = $1 AND id_unique = ANY ($2::uuid[])) c`,
      [tenantId, votants, tenantId],
    );
    return rows.every(({ isFree }) => isFree);
  }

  /** Removes the voters from the rolls of unpublished campaigns, because a voter without a name must not vote. */
  async removeFromDrafts(tenantId: string, votants: readonly string[]): Promise<void> {
    await this.transactions.client().query(
      `WITH removed AS (
         DELETE FROM votant v USING campagne c
         WHERE v.tenant_id = $1 AND v.id_unique = ANY ($2::uuid[])
           AND c.tenant_id = v.tenant_id AND c.id_unique = v.campagne_id AND NOT c.publiee AND NOT c.archivee
         RETURNING v.campagne_id
       ), counted AS (SELECT campagne_id, count(*) AS gone FROM removed GROUP BY campagne_id)
       UPDATE campagne c SET nombre_votants = nombre_votants - gone FROM counted
       WHERE c.tenant_id = $1 AND c.id_unique = counted.campagne_id`,
      [tenantId, votants],
    );
  }
}
