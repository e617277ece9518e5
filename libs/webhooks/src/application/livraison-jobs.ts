import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
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

  /**
   * Adds the jobs of deliveries that were made or restarted, in the ambient transaction. Removes the job of the generation before, which
   * may otherwise wait for a day: restarts, however many, leave one job of each delivery.
   */
  async restart(tenantId: string, attempts: readonly QueuedAttempt[]): Promise<void> {
    const before = attempts.filter(({ generation }) => generation > 0);
    await this.queue.remove(
      LIVRAISON_QUEUE,
      before.map(({ id, generation }) => jobIdOf(id, generation - 1)),
    );
    await this.add(tenantId, attempts);
  }

  /** Adds the jobs of attempts in the ambient transaction. */
  async add(tenantId: string, attempts: readonly QueuedAttempt[]): Promise<void> {
    await this.queue.add(
      LIVRAISON_QUEUE,
      attempts.map(({ id, webhookId, generation, next, traceparent }) => ({
        id: jobIdOf(id, generation),
        data: {
          ...({ tenantId, livraisonId: id, webhookId, tour: generation } satisfies LivraisonJob),
          ...(traceparent === undefined ? {} : { traceparent }),
        },
        group: webhookId,
        startAfter: next ?? undefined,
      })),
    );
  }
}

/** The id of the job of a generation of a delivery, made from both. */
function jobIdOf(livraisonId: string, generation: number): string {
  return uuidOf(createHash('sha256').update(`${livraisonId} ${generation}`).digest());
}

/** Returns a UUID of version 8, made from a digest. */
export function uuidOf(digest: Buffer): string {
  return digest.toString('hex').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
