import { Injectable } from '@nestjs/common';
import type { Piece } from '#platform/database/work-notes';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { hasOpened } from '../../campagne/persistence/campagne.sql';
import { dueByClock } from '../../campagne/persistence/due-campagnes.sql';
import type { FetchPage } from '#platform/database/json-items';
import type { Checkpoint } from '../domain/checkpoint';
import { base64url } from '../../persistence/base64url.sql';
import { DIGEST_BYTES, type Noeud, type ReadSubtree } from '../domain/receipt-log';

/** Receipts that are read at once: hashing them takes some 5 ms. */
const PAGE = 4_096;

const CHECKPOINT = `SELECT taille, racine, note FROM engagement WHERE tenant_id = $1 AND campagne_id = $2`;

/** The log of receipts: their places, the stored nodes and the checkpoints (docs/adr/0042). */
@Injectable()
export class EngagementRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Campaigns of all tenants whose vote is open. @param except campaigns to pass over */
  due(except: readonly string[]): Promise<Piece[]> {
    return this.transactions.query(OWN_CELL, {
      name: 'campagne_engagement_du',
      text: dueByClock((now) => `${hasOpened(now)} AND NOT urne_close`),
      values: [except],
    });
  }

  /** Whether the log has to grow: it lacks a receipt, and its last checkpoint is at least a minute old. */
  async isDue(tenantId: string, id: string): Promise<boolean> {
    const [row] = await this.transactions.query<{ due: boolean }>(
      { tenantId },
      {
        name: 'engagement_est_du',
        text: `SELECT EXISTS (SELECT FROM recu WHERE tenant_id = $1 AND campagne_id = $2 AND place IS NULL)
                 AND NOT EXISTS (SELECT FROM engagement WHERE tenant_id = $1 AND campagne_id = $2
                   AND date_creation > clock_timestamp() - interval '1 minute') AS due`,
        values: [tenantId, id],
      },
    );
    return row!.due;
  }

  /** All checkpoints, the smallest first. */
  async checkpoints(tenantId: string, id: string): Promise<Checkpoint[]> {
    const { rows } = await this.transactions
      .client()
      .query<Checkpoint>(`${CHECKPOINT} ORDER BY taille`, [tenantId, id]);
    return rows;
  }

  /** The newest checkpoint; undefined before the first one. */
  async newest(tenantId: string, id: string): Promise<Checkpoint | undefined> {
    const [row] = await this.transactions.query<Checkpoint>(
      { tenantId },
      {
        name: 'engagement_dernier',
        text: `${CHECKPOINT} ORDER BY taille DESC LIMIT 1`,
        values: [tenantId, id],
      },
    );
    return row;
  }

  /** A page of checkpoints, the smallest first. The position has the size in the place of a date. */
  list(tenantId: string, id: string): FetchPage {
    return async (after, limit) => {
      const rows = await this.transactions.query<{ taille: number; item: string }>(
        { tenantId },
        {
          name: 'engagement_page',
          text: `SELECT taille, json_build_object('taille', taille, 'racine', ${base64url('racine')}, 'note', note)::text AS item
                 FROM engagement WHERE tenant_id = $1 AND campagne_id = $2 AND taille > $3::bigint ORDER BY taille LIMIT $4`,
          values: [tenantId, id, after?.date.getTime() ?? 0, limit + 1],
        },
      );
      const shown = rows.slice(0, limit);
      const items = shown.map(({ item }) => item);
      if (rows.length === shown.length) return { items };
      return { items, next: { date: new Date(shown.at(-1)!.taille), id } };
    };
  }

  /** The size of the log by its highest place. */
  async size(tenantId: string, id: string): Promise<number> {
    return this.transactions.value(
      'SELECT coalesce(max(place) + 1, 0) FROM recu WHERE tenant_id = $1 AND campagne_id = $2',
      [tenantId, id],
    );
  }

  /**
   * Reads the digests of the log from one place to another, which is not included. Each page has them concatenated. Ends at
   * the first place without a receipt.
   */
  async *digests(tenantId: string, id: string, from: number, to: number): AsyncGenerator<Buffer> {
    for (let first = from; first < to; first += PAGE) {
      const end = Math.min(to, first + PAGE);
      const { rows } = await this.transactions.client().query<{ digests: Buffer | null; count: number }>({
        name: 'recu_page',
        text: `SELECT string_agg(empreinte, '' ORDER BY place) AS digests, count(*)::int AS count FROM recu
               WHERE tenant_id = $1 AND campagne_id = $2 AND place >= $3 AND place < $4`,
        values: [tenantId, id, first, end],
      });
      const { digests, count } = rows[0]!;
      if (count < end - first) return;
      yield digests!;
    }
  }

  async noeuds(tenantId: string, id: string): Promise<Noeud[]> {
    const { rows } = await this.transactions
      .client()
      .query<Noeud>(
        'SELECT niveau, place, empreinte FROM recu_noeud WHERE tenant_id = $1 AND campagne_id = $2',
        [tenantId, id],
      );
    return rows;
  }

  /** Gives all receipts a place in the log. @returns the size of the log */
  place(id: string): Promise<number> {
    return this.transactions.value('SELECT urne_engager($1)', [id]);
  }

  /** Notes whether the log differs from a checkpoint, as an anomaly of the box. @returns whether that is new */
  signal(id: string, differs: boolean): Promise<boolean> {
    return this.transactions.value('SELECT urne_signaler($1, $2)', [id, differs]);
  }

  async insert(
    tenantId: string,
    id: string,
    { taille, racine, note }: Checkpoint,
    noeuds: readonly Noeud[],
  ): Promise<void> {
    const client = this.transactions.client();
    await client.query(
      `INSERT INTO recu_noeud (tenant_id, campagne_id, niveau, place, empreinte)
       SELECT $1, $2, niveau, place, empreinte FROM unnest($3::smallint[], $4::integer[], $5::bytea[]) n (niveau, place, empreinte)`,
      [
        ...[tenantId, id, noeuds.map(({ niveau }) => niveau), noeuds.map(({ place }) => place)],
        noeuds.map(({ empreinte }) => empreinte),
      ],
    );
    await client.query(
      'INSERT INTO engagement (tenant_id, campagne_id, taille, racine, note) VALUES ($1, $2, $3, $4, $5)',
      [tenantId, id, taille, racine, note],
    );
  }

  /** The place of a receipt in the log: null before the first checkpoint that covers it; undefined if there is no such receipt. */
  async placeOf(tenantId: string, id: string, empreinte: Buffer): Promise<number | null | undefined> {
    const [row] = await this.transactions.query<{ place: number | null }>(
      { tenantId },
      {
        name: 'recu_place',
        text: 'SELECT place FROM recu WHERE tenant_id = $1 AND campagne_id = $2 AND empreinte = $3',
        values: [tenantId, id, empreinte],
      },
    );
    return row && row.place;
  }

  /** Whether the box is sealed: receipts without a place have none for good. */
  async isSealed(tenantId: string, id: string): Promise<boolean> {
    const rows = await this.transactions.query(
      { tenantId },
      {
        name: 'engagement_scelle',
        text: 'SELECT FROM campagne WHERE tenant_id = $1 AND id_unique = $2 AND urne_scellee',
        values: [tenantId, id],
      },
    );
    return rows.length > 0;
  }

  /**
   * Computes something from complete subtrees of the log, which are read in one statement. `work` runs twice: first to find
   * the subtrees that it reads.
   *
   * @param leafHash hash of a leaf
   * @returns undefined if the log lacks one of the subtrees
   */
  async reading<T>(
    tenantId: string,
    id: string,
    leafHash: (digest: Buffer) => Buffer,
    work: (read: ReadSubtree) => T,
  ): Promise<T | undefined> {
    const wanted: { niveau: number; place: number }[] = [];
    const nothing = Buffer.alloc(DIGEST_BYTES);
    work((niveau, place) => {
      wanted.push({ niveau, place });
      return nothing;
    });
    const rows = await this.transactions.query<Noeud>(
      { tenantId },
      {
        name: 'recu_noeuds_lus',
        text: `SELECT 0 AS niveau, place, empreinte FROM recu WHERE tenant_id = $1 AND campagne_id = $2 AND place = ANY ($3::integer[])
               UNION ALL
               SELECT n.niveau, n.place, n.empreinte FROM recu_noeud n JOIN unnest($4::smallint[], $5::integer[]) w (niveau, place)
                 ON n.niveau = w.niveau AND n.place = w.place WHERE n.tenant_id = $1 AND n.campagne_id = $2`,
        values: [
          ...[tenantId, id, wanted.filter(({ niveau }) => niveau === 0).map(({ place }) => place)],
          ...[wanted.map(({ niveau }) => niveau), wanted.map(({ place }) => place)],
        ],
      },
    );
    const found = new Map(
      rows.map(({ niveau, place, empreinte }) => [
        `${niveau} ${place}`,
        niveau === 0 ? leafHash(empreinte) : empreinte,
      ]),
    );
    if (wanted.some(({ niveau, place }) => !found.has(`${niveau} ${place}`))) return undefined;
    return work((niveau, place) => found.get(`${niveau} ${place}`)!);
  }
}
