import { Injectable } from '@nestjs/common';
import { ranOutOfSpace } from '#platform/errors/sql-errors';
import { COMMITS_AT_ONCE } from '#platform/database/commits-at-once.sql';
import { PURGE_BATCH } from '#platform/database/oldest-rows.sql';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';

/** Requests that one replica may let through before it asks again. */
export interface Lease {
  granted: number;
  /** Requests of this minute that no replica holds yet. */
  unclaimed: number;
  /** Milliseconds until the next minute begins. */
  remainingMs: number;
}

const MINUTE_MS = 60_000;

@Injectable()
export class RateWindowQuery {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Takes a twentieth of the requests that are left in the key's minute, but at least one, and none if all are taken. The
   * sum over all replicas never exceeds the limit. The minute is the database's, so replicas agree on it. The same statement
   * notes the use of the key, at most once a minute, because each lease is one.
   *
   * If the disk is full, nothing can be counted, and this replica grants the whole limit for a minute. Several replicas
   * may then exceed it together, which does less harm than rejecting all reads.
   */
  async lease(cleId: string, limit: number): Promise<Lease> {
    try {
      return await this.count(cleId, limit);
    } catch (error) {
      if (!ranOutOfSpace(error)) throw error;
      return { granted: limit, unclaimed: 0, remainingMs: MINUTE_MS };
    }
  }

  private async count(cleId: string, limit: number): Promise<Lease> {
    const rows = await this.transactions.execute<Lease>(ADMINISTRATION, {
      name: 'rate_window_lease',
      text: `WITH used AS (
               UPDATE cle SET dernier_usage = now()
               WHERE id = $1 AND (dernier_usage IS NULL OR dernier_usage < now() - interval '1 minute') AND ${COMMITS_AT_ONCE}
             )
             INSERT INTO rate_window AS w (cle_id, debut, used)
             VALUES ($1, date_bin('1 minute', now(), 'epoch'), ceil($2::int / 20.0)::int)
             ON CONFLICT (cle_id, debut) DO UPDATE SET used = w.used + greatest(0, ceil(($2::int - w.used) / 20.0)::int)
             RETURNING new.used - coalesce(old.used, 0) AS granted, greatest(0, $2::int - new.used) AS unclaimed,
               (extract(epoch FROM new.debut + interval '1 minute' - clock_timestamp()) * 1000)::int AS "remainingMs"`,
      values: [cleId, limit],
    });
    return rows[0]!;
  }

  /** Removes minutes that are over, a batch of them at most; answers how many. */
  async purgeOver(): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(ADMINISTRATION, {
      name: 'rate_window_purge',
      text: `WITH over AS (
               SELECT cle_id, debut FROM rate_window WHERE debut < now() - interval '2 minutes' ORDER BY debut LIMIT $1
               FOR UPDATE SKIP LOCKED
             ), removed AS (
               DELETE FROM rate_window w USING over o WHERE w.cle_id = o.cle_id AND w.debut = o.debut RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [PURGE_BATCH],
    });
    return rows[0]?.count ?? 0;
  }
}
