import { Injectable } from '@nestjs/common';
import { REGLAGES } from '#clients/relations';
import { JsonItems, type Page, type Position, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { Webhook } from '../domain/webhook.entity';
import type { EventType } from '../domain/event.types';
import type { EtatLivraison, Tentative } from '../domain/webhook.types';
import { EVENT_DATE, takes } from './webhook.sql';

/** An attempt that needs a job. */
export interface QueuedAttempt {
  readonly id: string;
  readonly webhookId: string;
  /** Counts attempts and restarts (column `tour`): a job of an earlier generation does nothing. */
  readonly generation: number;
  /** Due time; at once if absent. */
  readonly next?: Date | null;
  /** The span that it belongs to; the current one if absent. */
  readonly traceparent?: string | undefined;
}

/** A delivery with all that an attempt needs. */
export interface DueLivraison extends Omit<QueuedAttempt, 'next' | 'traceparent'> {
  readonly etat: EtatLivraison;
  /** Whether the client is suspended. */
  readonly isSuspended: boolean;
  /** Whether answers may be simulated. */
  readonly isStaging: boolean;
  /** Failed attempts since it was created or restarted. */
  readonly essais: number;
  readonly evenementId: string;
  readonly type: string;
  readonly date: Date;
  /** Size of the event's data, as JSON text in UTF-8. */
  readonly bytes: number;
  /** The endpoint as it is now, as far as an attempt depends on it; the rest is not loaded. */
  readonly webhook: Pick<Webhook, 'url' | 'takes' | 'secretsAt' | 'isNews'>;
}

/** A delivery, and the data of its event if it was asked for. */
export interface ReadLivraison {
  readonly due: DueLivraison;
  /** JSON text, which is sent unchanged; null if it is read later (`data`). */
  readonly data: string | null;
}

type DueRow = Omit<DueLivraison, 'webhook'> & Partial<Webhook> & Pick<ReadLivraison, 'data'>;

/** Larger data are read when an attempt begins, never for a delivery that waits. */
export const SMALL_BYTES = 65_536;

/** Result of a job. */
export interface Outcome {
  readonly id: string;
  readonly generation: number;
  readonly etat: EtatLivraison;
  /** Set while it waits for another attempt. */
  readonly next?: Date | undefined;
  /** The attempt, if one was made. */
  readonly tentative?: Tentative;
}

/** Columns of a `QueuedAttempt`. */
const ATTEMPT = 'id_unique AS id, webhook_id AS "webhookId", tour AS generation';

/** Restarts a delivery. Increments `tour`, so older jobs do nothing. */
const RESTARTED = `etat = 'EnAttente', essais = 0, tour = livraison.tour + 1, prochaine_tentative = now()`;

/** The type of the event of a delivery. */
const TYPE = `(SELECT e.type FROM evenement e WHERE e.tenant_id = $1 AND e.id_unique = livraison.evenement_id)`;

/** Maximum attempts that a delivery shows; the latest ones if it is sent again often. */
const SHOWN_ATTEMPTS = 50;

/** Deliveries of events to endpoints, with their attempts and results. */
@Injectable()
export class LivraisonRepository {
  private readonly items: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'livraison',
      table: 'livraison',
      key: 'id_unique',
      order: { by: 'date_creation', newestFirst: true },
      columns: {
        id: 'id_unique',
        evenementId: 'evenement_id',
        type: TYPE,
        etat: 'etat',
        tentatives: 'tentatives',
        prochaineTentative: wireTimestamp('prochaine_tentative'),
      },
    });
  }

  /** Returns one delivery of an endpoint. */
  one(tenantId: string, webhookId: string, id: string): Promise<string | undefined> {
    return this.items.one(tenantId, id, [{ sql: 'webhook_id = ?', value: webhookId }]);
  }

  /** @param types only deliveries of events of these types; every delivery if absent */
  page(
    tenantId: string,
    webhookId: string,
    types: readonly string[] | undefined,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.items.page(tenantId, after, limit, [
      { sql: 'webhook_id = ?', value: webhookId },
      { sql: `${TYPE} = ANY (?::text[])`, value: types, scanned: true },
    ]);
  }

  /**
   * Makes a delivery of an event to each endpoint that takes its type (`Webhook.takes`), in the ambient transaction; none of
   * `webhook.test`, which goes to one endpoint (`insert`). Locks the endpoints against deletion until it ends, because a deletion in between would fail the transaction.
   */
  async fanOut(tenantId: string, evenementId: string, type: string): Promise<QueuedAttempt[]> {
    const { rows } = await this.transactions.client().query<QueuedAttempt>({
      name: 'livraison_fan_out',
      text: `INSERT INTO livraison (tenant_id, webhook_id, evenement_id)
             SELECT $1, w.id_unique, $2 FROM (
               SELECT id_unique FROM webhook WHERE tenant_id = $1 AND ${takes('$3')} FOR KEY SHARE
             ) w
             RETURNING ${ATTEMPT}`,
      values: [tenantId, evenementId, type],
    });
    return rows;
  }

  /** Makes the delivery of an event to one endpoint. @param id made by the database if absent */
  async insert(
    tenantId: string,
    evenementId: string,
    webhookId: string,
    id?: string,
  ): Promise<QueuedAttempt> {
    const { rows } = await this.transactions.client().query<QueuedAttempt>(
      `INSERT INTO livraison (tenant_id, webhook_id, evenement_id, id_unique)
       VALUES ($1, $2, $3, coalesce($4, uuidv7()))
       RETURNING ${ATTEMPT}`,
      [tenantId, webhookId, evenementId, id],
    );
    return rows[0]!;
  }

  /**
   * Returns deliveries with everything that attempts need but the data of some events, without those that were deleted.
   *
   * @param mostBytes of the data that are read at once: those of the first deliveries whose data is small
   */
  async due(tenantId: string, ids: readonly string[], mostBytes: number): Promise<ReadLivraison[]> {
    const rows = await this.transactions.query<DueRow>(
      { tenantId },
      {
        name: 'livraison_due',
        // The size of each event is computed once, because PostgreSQL unpacks its data for it.
        text: `WITH asked AS MATERIALIZED (
                 SELECT l.id_unique, l.webhook_id, l.evenement_id, l.tour, l.etat, l.essais, asked.place
                 FROM unnest($2::uuid[]) WITH ORDINALITY asked (id, place)
                 JOIN livraison l ON l.tenant_id = $1 AND l.id_unique = asked.id
               ), event AS MATERIALIZED (
                 SELECT id_unique, type, ${EVENT_DATE} AS date, data, octet_length(data::text) AS bytes FROM evenement
                 WHERE tenant_id = $1 AND id_unique = ANY (ARRAY(SELECT DISTINCT evenement_id FROM asked))
               )
               SELECT l.id_unique AS id, l.webhook_id AS "webhookId", l.tour AS generation, l.etat, l.essais,
                 e.id_unique AS "evenementId", e.type, e.date, e.bytes,
                 CASE WHEN e.bytes <= ${SMALL_BYTES}
                   AND sum(e.bytes) FILTER (WHERE e.bytes <= ${SMALL_BYTES}) OVER (ORDER BY l.place) <= $3
                   THEN e.data::text END AS data,
                 w.url, w.actif, w.types, w.echec_depuis AS "echecDepuis", w.dernier_echec AS "dernierEchec", w.secret,
                 w.secret_precedent AS "secretPrecedent", w.secret_precedent_jusqua AS "secretPrecedentJusqua",
                 w.secrets_anciens AS "secretsAnciens", w.secrets_anciens_jusqua AS "secretsAnciensJusqua",
                 coalesce(r.suspendu, false) AS "isSuspended", coalesce(r.environnement = 'staging', false) AS "isStaging"
               FROM asked l
               JOIN event e ON e.id_unique = l.evenement_id
               JOIN webhook w ON w.tenant_id = $1 AND w.id_unique = l.webhook_id
               LEFT JOIN ${REGLAGES} r ON r.tenant_id = $1`,
        values: [tenantId, ids, mostBytes],
      },
    );
    // Receivers may read the data at once, through an API that reads from standbys.
    if (rows.length > 0) await this.transactions.wrote({ tenantId });
    return rows.map(readOf);
  }

  /** Returns the data of an event as JSON text, which is sent unchanged; undefined if it was deleted. */
  async data(tenantId: string, evenementId: string): Promise<string | undefined> {
    const rows = await this.transactions.query<{ data: string }>(
      { tenantId },
      {
        name: 'livraison_data',
        text: 'SELECT data::text AS data FROM evenement WHERE tenant_id = $1 AND id_unique = $2',
        values: [tenantId, evenementId],
      },
    );
    return rows[0]?.data;
  }

  /**
   * Writes the results of jobs, in the ambient transaction if there is one. Skips deliveries that have a later generation
   * by now. @returns the attempts that follow, which need a job
   */
  async conclude(tenantId: string, outcomes: readonly Outcome[]): Promise<QueuedAttempt[]> {
    const rows = await this.transactions.execute<QueuedAttempt>(
      { tenantId },
      {
        name: 'livraison_conclude',
        text: `UPDATE livraison l SET etat = o.etat, prochaine_tentative = o.next, tour = l.tour + 1,
               essais = l.essais + (o.tentative IS NOT NULL)::int,
               tentatives = CASE WHEN o.tentative IS NULL THEN l.tentatives
                 ELSE CASE WHEN jsonb_array_length(l.tentatives) < ${SHOWN_ATTEMPTS} THEN l.tentatives ELSE l.tentatives - 0 END
                   || o.tentative END
             FROM unnest($2::uuid[], $3::int[], $4::text[], $5::timestamptz[], $6::text[]::jsonb[])
               AS o (id, generation, etat, next, tentative)
             WHERE l.tenant_id = $1 AND l.id_unique = o.id AND l.tour = o.generation AND l.etat = 'EnAttente'
             RETURNING l.id_unique AS id, l.webhook_id AS "webhookId", l.tour AS generation, l.prochaine_tentative AS next`,
        values: [
          tenantId,
          outcomes.map(({ id }) => id),
          outcomes.map(({ generation }) => generation),
          outcomes.map(({ etat }) => etat),
          outcomes.map(({ next }) => next ?? null),
          outcomes.map(({ tentative }) => (tentative ? JSON.stringify(tentative) : null)),
        ],
      },
    );
    return rows.filter(({ next }) => next);
  }

  /** Restarts one delivery of an endpoint in any state. @returns undefined if there is none */
  async restart(
    tenantId: string,
    webhookId: string,
    id: string,
  ): Promise<(QueuedAttempt & { readonly type: EventType }) | undefined> {
    const { rows } = await this.transactions.client().query<QueuedAttempt & { type: EventType }>(
      `UPDATE livraison SET ${RESTARTED} WHERE tenant_id = $1 AND webhook_id = $2 AND id_unique = $3
       RETURNING ${ATTEMPT}, ${TYPE} AS type`,
      [tenantId, webhookId, id],
    );
    return rows[0];
  }

  /**
   * Makes or restarts the deliveries of events to an endpoint, in batches, oldest first. Deliveries that wait for their
   * first attempt stay as they are.
   *
   * @param after the last event of the previous batch
   */
  async replay(
    tenantId: string,
    webhookId: string,
    types: readonly string[],
    since: Date,
    after: Position | undefined,
    limit: number,
  ): Promise<{ attempts: QueuedAttempt[]; last: Position | undefined }> {
    const client = this.transactions.client();
    const { rows: events } = await client.query<Position>(
      `SELECT id_unique AS id, date_creation AS date FROM evenement
       WHERE tenant_id = $1 AND type = ANY ($2) AND date_creation >= $3
         AND (date_creation, id_unique) > (coalesce($4::timestamptz, '-infinity'), coalesce($5::uuid, '${NIL}'))
       ORDER BY date_creation, id_unique LIMIT $6`,
      [tenantId, types, since, after?.date ?? null, after?.id ?? null, limit],
    );
    if (events.length === 0) return { attempts: [], last: undefined };
    const { rows } = await client.query<QueuedAttempt>(
      `INSERT INTO livraison (tenant_id, webhook_id, evenement_id)
       SELECT $1, $2, id FROM unnest($3::uuid[]) WITH ORDINALITY AS e (id, place) ORDER BY place
       ON CONFLICT (tenant_id, evenement_id, webhook_id) DO UPDATE SET ${RESTARTED}
         WHERE livraison.etat <> 'EnAttente' OR livraison.essais > 0
       RETURNING ${ATTEMPT}`,
      [tenantId, webhookId, events.map(({ id }) => id)],
    );
    return { attempts: rows, last: events.length === limit ? events.at(-1) : undefined };
  }
}

function readOf(row: DueRow): ReadLivraison {
  const {
    id,
    webhookId,
    generation,
    etat,
    isSuspended,
    isStaging,
    essais,
    evenementId,
    type,
    date,
    bytes,
    data,
    ...endpoint
  } = row;
  const livraison = { id, webhookId, generation, etat, isSuspended, isStaging, essais };
  const event = { evenementId, type, date, bytes };
  return { due: { ...livraison, ...event, webhook: Object.assign(new Webhook(), endpoint) }, data };
}

const NIL = '00000000-0000-0000-0000-000000000000';
