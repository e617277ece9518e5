import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { setTimeout as wait } from 'node:timers/promises';
import { sqlState } from '#platform/database/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { LOGGER } from '#platform/ops/logger';
import { JobQueue } from '#platform/jobs/job-queue';
import type { Finding, Webhook } from '../domain/webhook.entity';
import { LivraisonRepository, type Outcome } from '../persistence/livraison.repository';
import { WebhookRepository } from '../persistence/webhook.repository';
import { LIVRAISON_QUEUE, LivraisonJobs } from './livraison-jobs';

/** The end of one job. */
export interface Ended {
  readonly jobId: string;
  readonly tenantId: string;
  readonly webhookId: string;
  /** Absent if the delivery had ended or was deleted. */
  readonly outcome?: Outcome;
  /** When the attempt ended. */
  readonly at: Date;
  /** The endpoint as it was tried; absent where nothing was attempted. */
  readonly tried?: Pick<Webhook, 'url' | 'isNews'>;
  /** Called once it is written and the job is over. */
  readonly recorded: () => void;
}

const RETRY_MS = 1_000;

/** Attempts that end within this time, in ms, are written together. */
const GATHER_MS = 20;

/**
 * Writes what became of jobs: the attempt and the next turn with its job in one transaction, then the job's end, then the
 * endpoint's health. What ends while others are written is written together with the next.
 */
@Injectable()
export class OutcomeRecorder {
  private readonly waiting = new Map<string, Ended[]>();
  /** Running writes, one per tenant, so that a tenant that waits for a lock does not delay others. */
  private readonly draining = new Map<string, Promise<void>>();

  constructor(
    private readonly transactions: Transactions,
    private readonly livraisons: LivraisonRepository,
    private readonly webhooks: WebhookRepository,
    private readonly jobs: LivraisonJobs,
    private readonly queue: JobQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  push(ended: Ended): void {
    const { tenantId } = ended;
    const waiting = this.waiting.get(tenantId);
    if (waiting) waiting.push(ended);
    else this.waiting.set(tenantId, [ended]);
    this.begin(tenantId);
  }

  /** Waits until all is written. */
  async settled(): Promise<void> {
    while (this.draining.size > 0) await Promise.all(this.draining.values());
  }

  private begin(tenantId: string): void {
    if (this.draining.has(tenantId)) return;
    const draining = this.drain(tenantId).finally(() => {
      this.draining.delete(tenantId);
      if (this.waiting.has(tenantId)) this.begin(tenantId);
    });
    this.draining.set(tenantId, draining);
  }

  private async drain(tenantId: string): Promise<void> {
    for (;;) {
      await wait(GATHER_MS);
      const ended = this.waiting.get(tenantId);
      if (!ended) return;
      this.waiting.delete(tenantId);
      try {
        await this.record(tenantId, ended);
      } catch (error) {
        // Written later, unless this process dies: then its jobs are taken up by another, and the events sent again.
        this.warn(error, 'deliveries could not be recorded and will be tried again');
        this.waiting.set(tenantId, [...ended, ...(this.waiting.get(tenantId) ?? [])]);
        await wait(RETRY_MS);
      }
    }
  }

  private async record(tenantId: string, ended: readonly Ended[]): Promise<void> {
    const concluded = oneATurn(ended.filter((one) => one.outcome));
    const [going, over] = [concluded.filter(isGoingOn), concluded.filter((one) => !isGoingOn(one))];
    if (over.length > 0) {
      await this.livraisons.conclude(
        tenantId,
        over.map(({ outcome }) => outcome!),
      );
    }
    if (going.length > 0) await this.goOn(tenantId, going);
    await this.queue.done(
      LIVRAISON_QUEUE,
      ended.map(({ jobId }) => jobId),
    );
    for (const { recorded } of ended) recorded();
    await this.noteHealth(tenantId, concluded);
  }

  /** Writes turns that another one follows, with its job. */
  private async goOn(tenantId: string, ended: readonly Ended[]): Promise<void> {
    const nextOf = new Map(ended.map(({ outcome }) => [nameOf(outcome!.id, outcome!.tour), outcome!.next]));
    await this.transactions.run({ tenantId }, async () => {
      const turns = await this.livraisons.conclude(
        tenantId,
        ended.map(({ outcome }) => outcome!),
      );
      await this.jobs.add(
        tenantId,
        turns.map((turn) => ({ ...turn, next: nextOf.get(nameOf(turn.id, turn.tour - 1)) })),
      );
    });
  }

  /** Each endpoint by itself, and after the rest: a partner who changes one may hold its row for a while. */
  private async noteHealth(tenantId: string, ended: readonly Ended[]): Promise<void> {
    const attempted = ended.filter(({ tried }) => tried);
    for (const [webhookId, ofOne] of Map.groupBy(attempted, (one) => one.webhookId)) {
      try {
        const reason = await this.healthOf(tenantId, webhookId, ofOne);
        if (reason) this.logger.warn({ tenantId, webhookId, reason }, 'an endpoint was disabled');
      } catch (error) {
        // Its next attempt finds out again.
        this.warn(error, 'the health of an endpoint could not be noted');
      }
    }
  }

  /** Notes whether an endpoint accepts anything; answers why it was disabled, if it was. */
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
      return webhook!.raisonDesactivation ?? undefined;
    });
  }

  private warn(error: unknown, message: string): void {
    this.logger.warn({ sqlState: sqlState(error) }, message);
  }
}

/** Combines the results of attempts at one endpoint: a 410 outweighs a success, a success outweighs failures. */
function findingOf(attempts: readonly Ended[]): Finding {
  const gone = attempts.find(({ outcome }) => outcome!.tentative!.statut === 410);
  const accepted = attempts.find(({ outcome }) => outcome!.etat === 'Reussie');
  const { tried, at } = gone ?? accepted ?? attempts.at(-1)!;
  return { verdict: gone ? 'gone' : accepted ? 'accepted' : 'failed', url: tried!.url, at };
}

function nameOf(id: string, tour: number): string {
  return `${id} ${tour}`;
}

/** Keeps the first result if this process ended a generation twice, for example after its job was considered abandoned. */
function oneATurn(ended: readonly Ended[]): Ended[] {
  const first = new Map<string, Ended>();
  for (const one of ended) {
    const name = nameOf(one.outcome!.id, one.outcome!.tour);
    if (!first.has(name)) first.set(name, one);
  }
  return [...first.values()];
}

/** Whether another turn follows, whose job is written with the end of this one. */
function isGoingOn({ outcome }: Ended): boolean {
  return outcome!.next !== undefined;
}
