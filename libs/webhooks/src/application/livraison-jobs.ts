import { Injectable } from '@nestjs/common';
import { type EventListener, Outbox } from '#platform/events/outbox';
import { JobQueue } from '#platform/jobs/job-queue';
import { CONSUMED, type Queue } from '#platform/jobs/queue';
import { LivraisonRepository, type QueuedAttempt } from '../persistence/livraison.repository';

/** Deliveries to endpoints: a job for each attempt, grouped by endpoint. */
export const LIVRAISON_QUEUE: Queue = { name: 'livraison', ...CONSUMED };

export const WEBHOOKS_QUEUES: readonly Queue[] = [LIVRAISON_QUEUE];

/** A job: one attempt of a delivery. */
export interface LivraisonJob {
  readonly tenantId: string;
  readonly livraisonId: string;
  readonly webhookId: string;
  /** Generation of the delivery (column `tour`). Jobs in the queue have this name. */
  readonly tour: number;
}

/** Turns events into deliveries and jobs, in the transaction that makes the event. */
@Injectable()
export class LivraisonJobs implements EventListener {
  constructor(
    outbox: Outbox,
    private readonly livraisons: LivraisonRepository,
    private readonly queue: JobQueue,
  ) {
    outbox.subscribe(this);
  }

  async onEvent(tenantId: string, { id, type }: { id: string; type: string }): Promise<void> {
    await this.add(tenantId, await this.livraisons.fanOut(tenantId, id, type));
  }

  /** Adds the jobs of attempts in the ambient transaction. */
  async add(tenantId: string, attempts: readonly QueuedAttempt[]): Promise<void> {
    await this.queue.add(
      LIVRAISON_QUEUE,
      attempts.map(({ id, webhookId, generation, next }) => ({
        data: { tenantId, livraisonId: id, webhookId, tour: generation } satisfies LivraisonJob,
        group: webhookId,
        startAfter: next ?? undefined,
      })),
    );
  }
}
