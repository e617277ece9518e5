import { Injectable } from '@nestjs/common';
import { JsonItems, wireTimestamp } from '#platform/database/json-items';
import { oldestRows, PURGE_BATCH } from '#platform/database/oldest-rows.sql';
import { OWN_CELL } from '#platform/database/scope';
import type { Tenure } from '#membership/relations';
import { Transactions } from '#platform/database/transactions';
import type { Effets } from '../domain/effets.types';
import { type NomSync, SYNC_DAYS } from '../domain/sync.types';

/** Maximum number of syncs of a data space that are kept. */
const MOST_SYNCS = 50_000;

/** Pieces of images that one statement inserts. */
const AT_ONCE = 16;

/** Bytes of images that one statement of the purge removes, and those of one sync more. */
const PURGED_BYTES = 64 * 2 ** 20;

/** A sync to be stored. */
export interface NewSync {
  readonly id: string;
  readonly version: NomSync;
  readonly tacheId?: string | undefined;
  readonly planId?: string | undefined;
  /** The sync that it undoes. */
  readonly annule?: string | undefined;
  readonly evenementId: string;
  readonly effets: Effets;
  /** The noted rows, encrypted; not kept if they are too large. */
  readonly images: readonly Buffer[];
  /** The key of the images, encrypted. */
  readonly cle: Buffer;
}

/** The part of a sync that an undo needs. */
export interface StoredSync {
  readonly evenementId: string;
  /** When it was done. */
  readonly date: Date;
  /** Whether its images were kept. */
  readonly isKept: boolean;
  /** Encrypted; null without images. */
  readonly cle: Buffer | null;
}

/** Syncs that have written, with the records that they have changed as these were, in the ambient transaction. */
@Injectable()
export class SyncRepository {
  readonly items: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'sync',
      table: 'sync',
      key: 'id_unique',
      order: { by: 'rang', isNumber: true, newestFirst: true },
      columns: {
        id: 'id_unique',
        version: 'version',
        tacheId: 'tache_id',
        planId: 'plan_id',
        annule: 'annule',
        evenementId: 'evenement_id',
        annulable: 'octets IS NOT NULL',
        effets: 'effets',
        dateCreation: wireTimestamp('date_creation'),
      },
    });
  }

  /**
   * Stores a sync, and removes the oldest beyond what a data space keeps. The lock of syncs is held.
   *
   * @param mostBytes maximum number of bytes of all images of the data space
   */
  async insert(tenantId: string, { id, images, cle, ...sync }: NewSync, mostBytes: number): Promise<void> {
    const client = this.transactions.client();
    const bytes = images.reduce((sum, { length }) => sum + length, 0);
    const isKept = bytes <= mostBytes;
    const hasImages = isKept && bytes > 0;
    const { version, tacheId, planId, annule, evenementId, effets } = sync;
    await client.query({
      name: 'sync_insert',
      text: `WITH newest AS (
         SELECT coalesce(max(rang), 0) + 1 AS rang, coalesce(max(cumul), 0) + coalesce($10::bigint, 0) AS cumul
         FROM (SELECT rang, cumul FROM sync WHERE tenant_id = $1 ORDER BY rang DESC LIMIT 1) n
       ), kept AS (
         SELECT greatest(n.rang - $11 + 1, coalesce((
           SELECT k.rang FROM sync k WHERE k.tenant_id = $1 AND k.cumul - coalesce(k.octets, 0) >= n.cumul - $12::numeric ORDER BY k.rang LIMIT 1
         ), n.rang)) AS oldest FROM newest n
       ), removed AS (
         DELETE FROM sync s WHERE s.tenant_id = $1 AND s.rang < (SELECT oldest FROM kept)
       )
       INSERT INTO sync (tenant_id, id_unique, version, tache_id, plan_id, annule, evenement_id, effets, cle, octets, date_debut,
         rang, cumul)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, nullif(current_setting('app.sync_debut', true), '')::timestamptz, rang, cumul FROM newest`,
      values: [
        ...[tenantId, id, version, tacheId, planId, annule, evenementId, effets],
        ...[hasImages ? cle : null, isKept ? bytes : null, MOST_SYNCS, mostBytes],
      ],
    });
    if (hasImages) await this.insertImages(tenantId, id, images);
  }

  /** Notes the start of the sync in the ambient transaction, whose lock of syncs prevents renaming employees from now on. */
  async begin(): Promise<void> {
    await this.transactions
      .client()
      .query(`SELECT set_config('app.sync_debut', clock_timestamp()::text, true)`);
  }

  /** Replaces the images of a sync. */
  async replaceImages(tenantId: string, id: string, images: readonly Buffer[], cle: Buffer): Promise<void> {
    const client = this.transactions.client();
    await client.query('DELETE FROM sync_image WHERE tenant_id = $1 AND sync_id = $2', [tenantId, id]);
    await this.insertImages(tenantId, id, images);
    await client.query('UPDATE sync SET cle = $3 WHERE tenant_id = $1 AND id_unique = $2', [
      ...[tenantId, id, images.length > 0 ? cle : null],
    ]);
  }

  private async insertImages(tenantId: string, id: string, images: readonly Buffer[]): Promise<void> {
    for (let start = 0; start < images.length; start += AT_ONCE)
      await this.transactions.client().query(
        `INSERT INTO sync_image (tenant_id, sync_id, n, octets)
         SELECT $1, $2, $3::int + n, octets FROM unnest($4::bytea[]) WITH ORDINALITY i (octets, n)`,
        [tenantId, id, start, images.slice(start, start + AT_ONCE)],
      );
  }

  /** Returns a sync that can be undone, or undefined. */
  async find(tenantId: string, id: string): Promise<StoredSync | undefined> {
    const { rows } = await this.transactions.client().query<StoredSync>(
      `SELECT evenement_id AS "evenementId", date_creation AS date, octets IS NOT NULL AS "isKept", cle FROM sync
       WHERE tenant_id = $1 AND id_unique = $2 AND date_creation >= now() - interval '${SYNC_DAYS} days'`,
      [tenantId, id],
    );
    return rows[0];
  }

  /** Reads the images of a sync, encrypted. */
  async images(tenantId: string, id: string): Promise<Buffer[]> {
    const { rows } = await this.transactions
      .client()
      .query<{ octets: Buffer }>(
        'SELECT octets FROM sync_image WHERE tenant_id = $1 AND sync_id = $2 ORDER BY n',
        [tenantId, id],
      );
    return rows.map(({ octets }) => octets);
  }

  /** Removes the images of a sync, which can then not be undone. */
  async dropImages(tenantId: string, id: string): Promise<void> {
    await this.replaceImages(tenantId, id, [], Buffer.alloc(0));
    await this.transactions
      .client()
      .query('UPDATE sync SET octets = NULL WHERE tenant_id = $1 AND id_unique = $2', [tenantId, id]);
  }

  /** Returns the syncs that have images and were done while an employee had one of its identifiers, with these and their keys. */
  async withImages(
    tenantId: string,
    tenures: readonly Tenure[],
  ): Promise<{ id: string; cle: Buffer; idsExternes: string[] }[]> {
    const { rows } = await this.transactions
      .client()
      .query<{ id: string; cle: Buffer; idsExternes: string[] }>(
        `SELECT s.id_unique AS id, s.cle, array_agg(DISTINCT t.id) AS "idsExternes" FROM sync s
         JOIN unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) t (id, depuis, jusqua)
           -- A deletion does not wait for syncs, so the identifier may have changed hands during one.
           ON s.date_creation >= t.depuis AND coalesce(s.date_debut, s.date_creation) < t.jusqua
         WHERE s.tenant_id = $1 AND s.cle IS NOT NULL GROUP BY s.rang, s.id_unique, s.cle ORDER BY s.rang`,
        [
          ...[tenantId, tenures.map(({ idExterne }) => idExterne)],
          ...[tenures.map(({ depuis }) => depuis), tenures.map(({ jusqua }) => jusqua)],
        ],
      );
    return rows;
  }

  /** Removes a batch of syncs of data spaces that are older than `SYNC_DAYS`. @returns their number */
  async purgeExpired(spaces: readonly string[]): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(OWN_CELL, {
      name: 'sync_purge',
      text: `WITH removed AS (
               DELETE FROM sync WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM (
                   SELECT tenant_id, id_unique, octets, sum(octets) OVER (ORDER BY place, id_unique) AS total
                   FROM (${oldestRows('sync', 'id_unique, octets', 'date_creation', `${SYNC_DAYS} days`)}) o
                 ) counted WHERE coalesce(total - octets, 0) < $3
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [spaces, PURGE_BATCH, PURGED_BYTES],
    });
    return rows[0]?.count ?? 0;
  }
}
