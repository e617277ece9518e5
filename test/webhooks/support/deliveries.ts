import { ADHESION_EVENTS } from '../../../libs/adhesion/src/domain/adhesion.events';
import type { INestApplication } from '@nestjs/common';
import type { Client } from 'pg';
import { Transactions } from '../../../libs/platform/src/database/transactions';
import { Outbox } from '../../../libs/platform/src/events/outbox';
import type { Tentative } from '../../../libs/webhooks/src/domain/webhook.types';
import type { TestApp } from '../../setup/test-app';
import { until } from './receiver';
import type { Scene } from './signed';

/** Maximum number of events per transaction. */
const BATCH = 500;

/**
 * Adds events as the product does, with a delivery to every endpoint that subscribes to them.
 *
 * @returns their ids
 */
export async function tell(app: TestApp, { tenant }: Scene, data: readonly string[]): Promise<string[]> {
  const outbox = app.app.get(Outbox);
  const ids: string[] = [];
  for (let from = 0; from < data.length; from += BATCH) {
    await app.app.get(Transactions).run({ tenantId: tenant.tenantId }, async () => {
      for (const one of data.slice(from, from + BATCH))
        ids.push(await outbox.add(tenant.tenantId, ADHESION_EVENTS.signee, one));
    });
  }
  return ids;
}

/** Adds events without deliveries; `replay` sends them. */
export async function addEvents(app: TestApp, { tenant }: Scene, count: number): Promise<void> {
  await app.database.query(
    `INSERT INTO evenement (tenant_id, type, data)
     SELECT $1, 'adhesion.signee', json_build_object('n', n) FROM generate_series(1, $2) n`,
    [tenant.tenantId, count],
  );
}

/**
 * Replays all events to an endpoint.
 *
 * @returns the number of deliveries
 */
export async function replay(app: TestApp, { tenant }: Scene, webhookId: string): Promise<number> {
  const { status, json, text } = await app.send(tenant, 'POST', `/b2b/v2/webhook/${webhookId}/recuperer`, {
    depuis: '2020-01-01T00:00:00Z',
  });
  if (status !== 202) throw new Error(text);
  return json.nombreLivraisons;
}

/** A delivery's row. */
export interface Row {
  id: string;
  webhookId: string;
  evenementId: string;
  etat: string;
  essais: number;
  tour: number;
  prochaine: Date | null;
  tentatives: Tentative[];
}

/** Returns deliveries of one endpoint or of all, in one state or in any. */
export async function rowsOf(database: Client, webhookId?: string, etat?: string): Promise<Row[]> {
  const { rows } = await database.query<Row>(
    `SELECT id_unique AS id, webhook_id AS "webhookId", evenement_id AS "evenementId", etat, essais, tour,
       prochaine_tentative AS prochaine, tentatives
     FROM livraison WHERE ($1::uuid IS NULL OR webhook_id = $1) AND ($2::text IS NULL OR etat = $2)
     ORDER BY id_unique`,
    [webhookId ?? null, etat ?? null],
  );
  return rows;
}

/** Counts deliveries by state, of one endpoint or of all. */
export async function states(database: Client, webhookId?: string): Promise<Record<string, number>> {
  const { rows } = await database.query<{ etat: string; count: number }>(
    `SELECT etat, count(*)::int AS count FROM livraison WHERE $1::uuid IS NULL OR webhook_id = $1 GROUP BY etat`,
    [webhookId ?? null],
  );
  return Object.fromEntries(rows.map(({ etat, count }) => [etat, count]));
}

/** Counts all jobs in any state. */
export async function countJobs(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pgboss.job WHERE name = 'livraison'`,
  );
  return rows[0]!.count;
}

/**
 * Returns the inconsistencies between deliveries and jobs: waiting deliveries without exactly one job of their
 * generation, due at the row's time, and jobs that no worker runs and that would send nothing. There are none at any
 * moment, because one transaction writes both. A delivery that is sent again while it waits leaves a job of its earlier
 * generation.
 */
export async function brokenChains(database: Client): Promise<object[]> {
  const { rows } = await database.query<object>(`
    WITH turns AS (
      SELECT data ->> 'livraisonId' AS id, (data ->> 'tour')::int AS tour, count(*)::int AS jobs,
        min(start_after) AS due, bool_or(state = 'active') AS is_at_work
      FROM pgboss.job WHERE name = 'livraison' GROUP BY 1, 2
    ), waiting AS (
      SELECT id_unique::text AS id, tour, essais, prochaine_tentative FROM livraison WHERE etat = 'EnAttente'
    )
    SELECT id, tour, essais, coalesce(jobs, 0) AS jobs, prochaine_tentative, due
    FROM waiting FULL JOIN turns USING (id, tour)
    WHERE coalesce(jobs, 0) <> 1
      -- The row is rounded to milliseconds.
      OR due < prochaine_tentative - interval '1 millisecond'
      OR (prochaine_tentative IS NULL AND NOT is_at_work)
    LIMIT 5`);
  return rows;
}

/** Waits until no job is due or running. */
export async function quiet(database: Client, timeoutMs = 50_000): Promise<void> {
  await until(
    'no job is due',
    async () => {
      const { rows } = await database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pgboss.job
         WHERE name = 'livraison' AND (state = 'active' OR start_after <= pgboss.job_now())`,
      );
      return rows[0]!.count === 0;
    },
    timeoutMs,
  );
}

/** Closes the workers that a test left running. */
export async function closeAll(workers: INestApplication[]): Promise<void> {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
}
