import { Injectable } from '@nestjs/common';
import type { Piece } from '#platform/database/work-notes';
import { Maintenance } from '#platform/database/maintenance';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { hasEnded } from '../../campagne/persistence/campagne.sql';
import { atClocks, dueCampagnes } from '../../campagne/persistence/due-campagnes.sql';

/** Rewrites roll, ballots and receipts in the ambient transaction. */
@Injectable()
export class SealingRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly maintenance: Maintenance,
  ) {}

  /**
   * Campaigns of all tenants whose ballot box is closed and not sealed, of each tenant those first that ended first.
   *
   * @param except campaigns to pass over
   */
  due(except: readonly string[]): Promise<Piece[]> {
    return this.transactions.query(OWN_CELL, {
      name: 'campagne_scellement_du',
      text: dueCampagnes('urne_close AND NOT urne_scellee'),
      values: [except],
    });
  }

  /** The number of boxes of all tenants whose vote has ended, by the step that they wait for. */
  async countWaiting(): Promise<Readonly<Record<'fermeture' | 'scellement' | 'dechiffrement', number>>> {
    const [row] = await this.transactions.query<Awaited<ReturnType<SealingRepository['countWaiting']>>>(
      OWN_CELL,
      {
        name: 'campagne_urnes_en_attente',
        text: `SELECT (SELECT count(*)::int FROM (${atClocks((now) => `${hasEnded(now)} AND NOT urne_close`)}) c) AS fermeture,
          (SELECT count(*)::int FROM campagne WHERE urne_close AND NOT urne_scellee) AS scellement,
          (SELECT count(*)::int FROM campagne WHERE chiffrement_du) AS dechiffrement`,
        values: [],
      },
    );
    return row!;
  }

  /**
   * Locks a campaign to seal it or to extend its log of receipts, against other workers and its deletion, and raises the time
   * limits of the ambient transaction.
   *
   * @param box state that the box must have; closed means not sealed yet
   * @returns the anomalies found so far; undefined if another worker has the lock, or the box has another state
   */
  async begin(
    tenantId: string,
    id: string,
    box: 'open' | 'closed' = 'closed',
  ): Promise<readonly string[] | undefined> {
    await this.maintenance.raiseTimeLimits();
    const isFree = await this.transactions.value<boolean>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 4))',
      [`${tenantId} ${id}`],
    );
    if (!isFree) return undefined;
    const { rows } = await this.transactions.client().query<{ anomalies: string[] }>(
      `SELECT coalesce(urne_anomalies, '{}') AS anomalies FROM campagne
       WHERE tenant_id = $1 AND id_unique = $2 AND publiee AND urne_close = $3 AND NOT urne_scellee FOR KEY SHARE`,
      [tenantId, id, box === 'closed'],
    );
    return rows[0]?.anomalies;
  }

  /**
   * Counts the box by union and employer, and rewrites roll, ballots and receipts in orders that no vote changes.
   *
   * @returns its anomalies, in which case the box is unchanged
   */
  seal(id: string): Promise<readonly string[]> {
    return this.transactions.value('SELECT urne_sceller($1)', [id]);
  }

  /** Removes the dead rows of roll, ballots and receipts from the files. Outside of any transaction. */
  removeDeadRows(): Promise<void> {
    return this.maintenance.vacuum(['bulletin', 'recu', 'votant']);
  }

  /** Seals a box with anomalies, without a result. @returns false if it has no anomaly */
  sealWithoutResult(id: string, raison: string): Promise<boolean> {
    return this.transactions.value('SELECT urne_constater($1, $2)', [id, raison]);
  }
}
