import { Injectable } from '@nestjs/common';
import { REGLAGES } from '#clients/relations';
import { oldestRows, PURGE_BATCH } from '#platform/database/oldest-rows.sql';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import type { Piece } from '#platform/database/work-notes';
import {
  CERTIFICATION_DAYS,
  type CertificationState,
  MOST_REQUESTS,
  type Observation,
} from '../domain/certification.rules';
import { Webhook } from '../domain/webhook.entity';

/** Certifications that are looked for at once. */
const MOST_DUE = 100;

/** A certification. */
export interface StoredCertification extends CertificationState {
  readonly id: string;
  readonly webhookId: string;
  readonly graine: Buffer;
  readonly dateCreation: Date;
}

/** The endpoint of a certification as it is now. */
export interface CertifiedEndpoint {
  readonly webhook: Pick<Webhook, 'url' | 'actif' | 'secretsAt'>;
  /** Whether the client is suspended. */
  readonly isSuspended: boolean;
}

const COLUMNS = `id_unique AS id, webhook_id AS "webhookId", graine, observations, traites, raison,
  date_creation AS "dateCreation", date_fin AS "dateFin"`;

/** Certifications of receivers. */
@Injectable()
export class CertificationRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Certifications of all tenants that have not ended: the first of each tenant, then the second of each. */
  due(except: readonly string[]): Promise<Piece[]> {
    return this.transactions.query(OWN_CELL, {
      name: 'certification_due',
      text: `SELECT "tenantId", id FROM (
               SELECT tenant_id AS "tenantId", id_unique AS id, date_creation,
                 row_number() OVER (PARTITION BY tenant_id ORDER BY date_creation, id_unique) AS place
               FROM certification WHERE date_fin IS NULL AND id_unique <> ALL ($1::uuid[])
             ) c ORDER BY place, date_creation LIMIT ${MOST_DUE}`,
      values: [except],
    });
  }

  /** Counts those of the last 24 hours, and those of the endpoint that have not ended. In the ambient transaction. */
  async counts(
    tenantId: string,
    webhookId: string,
  ): Promise<{ lately: number; running: number; wait: number }> {
    const { rows } = await this.transactions
      .client()
      .query<{ lately: number; running: number; wait: number }>(
        `SELECT count(*) FILTER (WHERE date_creation > now() - interval '24 hours')::int AS lately,
         count(*) FILTER (WHERE webhook_id = $2 AND date_fin IS NULL)::int AS running,
         coalesce(ceil(extract(epoch FROM min(date_creation) FILTER (WHERE date_creation > now() - interval '24 hours')
           + interval '24 hours' - now())), 0)::int AS wait
       FROM certification WHERE tenant_id = $1`,
        [tenantId, webhookId],
      );
    return rows[0]!;
  }

  /** Adds a certification, in the ambient transaction if there is one. @param id made by the database if absent */
  async insert(
    tenantId: string,
    webhookId: string,
    graine: Buffer,
    id?: string,
  ): Promise<StoredCertification> {
    const [row] = await this.transactions.execute<StoredCertification>(
      { tenantId },
      {
        name: 'certification_insert',
        text: `INSERT INTO certification (tenant_id, webhook_id, graine, id_unique)
               VALUES ($1, $2, $3, coalesce($4, uuidv7())) RETURNING ${COLUMNS}`,
        values: [tenantId, webhookId, graine, id],
      },
    );
    return row!;
  }

  /** Returns the last certification of an endpoint. */
  async latest(tenantId: string, webhookId: string): Promise<StoredCertification | undefined> {
    const [row] = await this.transactions.query<StoredCertification>(
      { tenantId },
      {
        name: 'certification_latest',
        text: `SELECT ${COLUMNS} FROM certification WHERE tenant_id = $1 AND webhook_id = $2
               ORDER BY date_creation DESC, id_unique DESC LIMIT 1`,
        values: [tenantId, webhookId],
      },
    );
    return row;
  }

  /** Notes what a receiver has processed, in the ambient transaction. */
  async noteTraites(tenantId: string, id: string, traites: readonly string[]): Promise<void> {
    await this.transactions
      .client()
      .query('UPDATE certification SET traites = $3 WHERE tenant_id = $1 AND id_unique = $2', [
        tenantId,
        id,
        traites,
      ]);
  }

  /** Locks a certification of an endpoint until the ambient transaction ends. */
  async lock(tenantId: string, webhookId: string, id: string): Promise<StoredCertification | undefined> {
    const { rows } = await this.transactions.client().query<StoredCertification>(
      `SELECT ${COLUMNS} FROM certification
       WHERE tenant_id = $1 AND webhook_id = $2 AND id_unique = $3 FOR NO KEY UPDATE`,
      [tenantId, webhookId, id],
    );
    return rows[0];
  }

  /** Returns a certification that has not ended. */
  async unfinished(tenantId: string, id: string): Promise<StoredCertification | undefined> {
    const [row] = await this.transactions.query<StoredCertification>(
      { tenantId },
      {
        name: 'certification_unfinished',
        text: `SELECT ${COLUMNS} FROM certification WHERE tenant_id = $1 AND id_unique = $2 AND date_fin IS NULL`,
        values: [tenantId, id],
      },
    );
    return row;
  }

  /** Returns the endpoint as it is now; undefined if it was deleted. */
  async endpoint(tenantId: string, webhookId: string): Promise<CertifiedEndpoint | undefined> {
    const [row] = await this.transactions.query<Partial<Webhook> & { isSuspended: boolean }>(
      { tenantId },
      {
        name: 'certification_endpoint',
        text: `SELECT url, actif, secret, secret_precedent AS "secretPrecedent",
                 secret_precedent_jusqua AS "secretPrecedentJusqua", secrets_anciens AS "secretsAnciens",
                 secrets_anciens_jusqua AS "secretsAnciensJusqua",
                 EXISTS (SELECT FROM ${REGLAGES} r WHERE r.tenant_id = $1 AND r.suspendu) AS "isSuspended"
               FROM webhook WHERE tenant_id = $1 AND id_unique = $2`,
        values: [tenantId, webhookId],
      },
    );
    if (!row) return undefined;
    const { isSuspended, ...endpoint } = row;
    return { webhook: Object.assign(new Webhook(), endpoint), isSuspended };
  }

  /** Counts requests before they are sent. @returns false if they are too many, or if the certification has ended */
  async spend(tenantId: string, id: string, requests: number): Promise<boolean> {
    const rows = await this.transactions.execute<object>(
      { tenantId },
      {
        name: 'certification_spend',
        text: `UPDATE certification SET requetes = requetes + $3
               WHERE tenant_id = $1 AND id_unique = $2 AND date_fin IS NULL AND requetes + $3 <= ${MOST_REQUESTS}
               RETURNING 1`,
        values: [tenantId, id, requests],
      },
    );
    return rows.length === 1;
  }

  /** Adds the result of a scenario. */
  async observe(tenantId: string, id: string, observation: Observation): Promise<void> {
    await this.transactions.execute(
      { tenantId },
      {
        name: 'certification_observe',
        text: `UPDATE certification SET observations = observations || $3::jsonb
               WHERE tenant_id = $1 AND id_unique = $2 AND date_fin IS NULL`,
        values: [tenantId, id, JSON.stringify(observation)],
      },
    );
  }

  /** Ends a certification that has not ended. @param raison why before its last scenario; null after it */
  async end(tenantId: string, id: string, raison: string | null): Promise<void> {
    await this.transactions.execute(
      { tenantId },
      {
        name: 'certification_end',
        text: `UPDATE certification SET date_fin = clock_timestamp(), raison = $3
               WHERE tenant_id = $1 AND id_unique = $2 AND date_fin IS NULL`,
        values: [tenantId, id, raison],
      },
    );
  }

  /** Ends the certification of an endpoint that has not ended, in the ambient transaction. */
  async endOf(tenantId: string, webhookId: string, raison: string): Promise<void> {
    await this.transactions.client().query(
      `UPDATE certification SET date_fin = clock_timestamp(), raison = $3
       WHERE tenant_id = $1 AND webhook_id = $2 AND date_fin IS NULL`,
      [tenantId, webhookId, raison],
    );
  }

  /** Removes a batch of old certifications of data spaces. @returns their number */
  async purgeExpired(spaces: readonly string[]): Promise<number> {
    const age = `${CERTIFICATION_DAYS} days`;
    const rows = await this.transactions.execute<{ count: number }>(OWN_CELL, {
      name: 'certification_purge',
      text: `WITH removed AS (
               DELETE FROM certification WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM (${oldestRows('certification', 'id_unique', 'date_creation', age)}) o
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [spaces, PURGE_BATCH],
    });
    return rows[0]?.count ?? 0;
  }
}
