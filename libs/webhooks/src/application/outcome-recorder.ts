import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { sqlState } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { Outbox } from '#platform/events/outbox';
import { LOGGER } from '#platform/ops/logger';
import { JobQueue } from '#platform/jobs/job-queue';
import { TenantBatches } from '#platform/jobs/tenant-batches';
import type { Finding, Webhook } from '../domain/webhook.entity';
import { WEBHOOK_EVENTS, type WebhookDesactive } from '../domain/webhooks.events';
import { LivraisonRepository, type Outcome } from '../persistence/livraison.repository';
import { WebhookRepository } from '../persistence/webhook.repository';
import { LIVRAISON_QUEUE, LivraisonJobs } from './livraison-jobs';

/** The end of one job. */
export interface Ended {
  readonly jobId: string;
  readonly webhookId: string;
  /** The span that made the event. */
  readonly traceparent?: string | undefined;
  /** Result; absent if the delivery had ended or was deleted. */
  readonly outcome?: Outcome;
  /** When the attempt ended. */
  readonly at: Date;
  /** The endpoint as it was tried; absent if no attempt was made. */
  readonly tried?: Pick<Webhook, 'url' | 'isNews'>;
  /** Called once the outcome is written and the job is removed. */
  readonly recorded: () => void;
}

/**
 * Writes the results of jobs: first the attempt, together with the job of the next generation, then the end of the job,
 * then the health of the endpoint. If the process dies in between, another worker repeats the job and sends the event again.
 */
@Injectable()
export class OutcomeRecorder {
  private readonly batches: TenantBatches<Ended>;

  constructor(
    private readonly transactions: Transactions,
    private readonly livraisons: LivraisonRepository,
    private readonly webhooks: WebhookRepository,
    private readonly jobs: LivraisonJobs,
    private readonly outbox: Outbox,
    private readonly queue: JobQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.batches = new TenantBatches(
      (tenantId, ended) => this.record(tenantId, ended),
      logger,
      'deliveries could not be recorded and will be tried again',
    );
  }

  push(tenantId: string, ended: Ended): void {
    this.batches.push(tenantId, ended);
  }

  /** Waits until every result is written. */
  settled(): Promise<void> {
    return this.batches.settled();
  }

  private async record(tenantId: string, ended: readonly Ended[]): Promise<void> {
    const concluded = firstOfEach(ended.filter((one) => one.outcome));
    const outcomes = concluded.map(({ outcome }) => outcome!);
    const over = outcomes.filter(({ next }) => !next);
    const going = outcomes.filter(({ next }) => next);
    if (over.length > 0) await this.livraisons.conclude(tenantId, over);
    if (going.length > 0) {
      // Another attempt follows, and its job is written with the result.
      const traces = new Map(concluded.map(({ outcome, traceparent }) => [outcome!.id, traceparent]));
      await this.transactions.run({ tenantId }, async () => {
        const attempts = await this.livraisons.conclude(tenantId, going);
        await this.jobs.add(
          tenantId,
          attempts.map((attempt) => ({ ...attempt, traceparent: traces.get(attempt.id) })),
        );
      });
    }
    await this.queue.done(
      LIVRAISON_QUEUE,
      ended.map(({ jobId }) => jobId),
    );
    for (const { recorded } of ended) recorded();
    await this.noteHealth(tenantId, concluded);
  }

  /** Writes each endpoint separately and last, because a partner who changes one may lock its row for a while. */
  private async noteHealth(tenantId: string, ended: readonly Ended[]): Promise<void> {
    const attempted = ended.filter(({ tried }) => tried);
    for (const [webhookId, ofOne] of Map.groupBy(attempted, (one) => one.webhookId)) {
      try {
        const reason = await this.healthOf(tenantId, webhookId, ofOne);
        if (reason) this.logger.warn({ tenantId, webhookId, reason }, 'an endpoint was disabled');
      } catch (error) {
        // The next attempt notes it again.
        this.logger.warn({ sqlState: sqlState(error) }, 'the health of an endpoint could not be noted');
      }
    }
  }

  /** Notes whether an endpoint accepts events. @returns the reason if that disabled it */
  private async healthOf(
    tenantId: string,
    id: string,
    attempts: readonly Ended[],
  ): Promise<string | undefined> {
    const finding = findingOf(attempts);
    // The row of a busy endpoint is locked when something changes, not at each attempt.
    if (!attempts.some(({ tried }) => tried!.isNews(finding))) return undefined;
    return this.transactions.run({ tenantId }, async () => {
      const webhook = await this.webhooks.lock(tenantId, id);
      const change = webhook?.note(finding);
      if (change === 'health') await this.webhooks.updateHealth(webhook!);
      if (change !== 'disabled') return undefined;
      await this.webhooks.update(webhook!);
      const { url, desactiveLe, raisonDesactivation } = webhook!;
      const data: WebhookDesactive = {
        ...{ webhookId: id, url, desactiveLe: desactiveLe!.toISOString() },
        raisonDesactivation: raisonDesactivation!,
      };
      // The endpoint itself is not active any more.
      await this.outbox.add(tenantId, WEBHOOK_EVENTS.desactive, JSON.stringify(data));
      return data.raisonDesactivation;
    });
  }
}

/** Combines the results of attempts at one endpoint: a 410 outweighs a success, a success outweighs failures. */
function findingOf(attempts: readonly Ended[]): Finding {
  const gone = attempts.find(({ outcome }) => outcome!.tentative!.statut === 410);
  const accepted = attempts.find(({ outcome }) => outcome!.etat === 'Reussie');
  const { tried, at } = gone ?? accepted ?? attempts.at(-1)!;
  return { verdict: gone ? 'gone' : accepted ? 'accepted' : 'failed', url: tried!.url, at };
}

/** Keeps the first result if this process ended a generation twice, for example after its job was considered abandoned. */
function firstOfEach(ended: readonly Ended[]): Ended[] {
  const ofEach = Map.groupBy(ended, ({ outcome }) => `${outcome!.id} ${outcome!.generation}`);
  return [...ofEach.values()].map(([first]) => first!);
}
