import { Injectable } from '@nestjs/common';
import type { EventType } from '#platform/events/event-types';
import { type EventListener, Outbox } from '#platform/events/outbox';
import { JobQueue } from '#platform/jobs/job-queue';
import { LivraisonRepository, type Turn } from '../persistence/livraison.repository';

/** Names one turn of a delivery to a worker. */
export interface LivraisonJob {
  readonly tenantId: string;
  readonly livraisonId: string;
  readonly webhookId: string;
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
    outbox.tell(this);
  }

  async heard(tenantId: string, { id, type }: { id: string; type: EventType }): Promise<void> {
    await this.add(tenantId, await this.livraisons.fanOut(tenantId, id, type));
  }

  /** Adds the jobs of turns in the ambient transaction. */
  async add(
    tenantId: string,
    turns: readonly (Turn & { readonly next?: Date | undefined })[],
  ): Promise<void> {
    await this.queue.addAll(
      'livraison',
      turns.map(({ id, webhookId, tour, next }) => ({
        data: { tenantId, livraisonId: id, webhookId, tour } satisfies LivraisonJob,
        group: webhookId,
        startAfter: next,
      })),
    );
  }
}
