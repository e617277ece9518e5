import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { setTimeout as wait } from 'node:timers/promises';
import { sqlState } from '#shared/database/sql-errors';
import { Transactions } from '#shared/database/transactions';
import { LOGGER } from '#shared/logging/logger';
import { JobQueue } from '#shared/queue/job-queue';
import { LONGEST_FAILURE_MS } from '../domain/retry-schedule';
import { LivraisonRepository, type Outcome } from '../persistence/livraison.repository';
import { WebhookRepository } from '../persistence/webhook.repository';
import { LivraisonJobs } from './livraison-jobs';

/** The end of one job. */
export interface Ended {
  readonly jobId: string;
  readonly tenantId: string;
  readonly webhookId: string;
  /** Absent where the delivery was over or gone already. */
  readonly outcome?: Outcome;
  /** When the attempt ended. */
  readonly at: Date;
  /** Since when its endpoint had accepted nothing, as far as was known. */
  readonly failingSince?: Date | null;
  /** Called once it is written and the job is over. */
  readonly recorded: () => void;
}

const RETRY_MS = 1_000;

/** What ends within this time is written together. */
const GATHER_MS = 20;

/**
 * Writes what became of jobs: the attempt, the next turn with its job and the endpoint's health in one transaction, then
 * the job's end. What ends while others are written is written together with the next.
 */
@Injectable()
export class OutcomeRecorder {
  private waiting: Ended[] = [];
  private draining: Promise<void> | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly livraisons: LivraisonRepository,
    private readonly webhooks: WebhookRepository,
    private readonly jobs: LivraisonJobs,
    private readonly queue: JobQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  push(ended: Ended): void {
    this.waiting.push(ended);
    this.begin();
  }

  /** Waits until all is written. */
  async settled(): Promise<void> {
    while (this.draining) await this.draining;
  }

  private begin(): void {
    this.draining ??= this.drain().finally(() => {
      this.draining = undefined;
      if (this.waiting.length > 0) this.begin();
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      await wait(GATHER_MS);
      const batch = this.waiting;
      this.waiting = [];
      const byTenant = Map.groupBy(batch, ({ tenantId }) => tenantId);
      for (const [tenantId, ended] of byTenant) {
        try {
          await this.record(tenantId, ended);
          for (const { recorded } of ended) recorded();
        } catch (error) {
          // Written later, unless this process dies: then its jobs are taken up by another, and the events sent again.
          this.logger.warn(
            { sqlState: sqlState(error) },
            'deliveries could not be recorded and will be tried again',
          );
          this.waiting.push(...ended);
          await wait(RETRY_MS);
        }
      }
    }
  }

  private async record(tenantId: string, ended: readonly Ended[]): Promise<void> {
    const [plain, others] = separate(oneATurn(ended.filter((one) => one.outcome)));
    if (plain.length > 0)
      await this.livraisons.conclude(
        tenantId,
        plain.map(({ outcome }) => outcome!),
      );
    if (others.length > 0) await this.conclude(tenantId, others);
    await this.queue.done(
      'livraison',
      ended.map(({ jobId }) => jobId),
    );
  }

  private async conclude(tenantId: string, ended: readonly Ended[]): Promise<void> {
    const nextOf = new Map(ended.map(({ outcome }) => [nameOf(outcome!.id, outcome!.tour), outcome!.next]));
    const disabled = await this.transactions.run({ tenantId }, async () => {
      const turns = await this.livraisons.conclude(
        tenantId,
        ended.map(({ outcome }) => outcome!),
      );
      await this.jobs.add(
        tenantId,
        turns.flatMap((turn) => {
          const next = nextOf.get(nameOf(turn.id, turn.tour - 1));
          return next ? [{ ...turn, next }] : [];
        }),
      );
      return this.noteHealth(tenantId, ended);
    });
    for (const [webhookId, reason] of disabled)
      this.logger.warn({ tenantId, webhookId, reason }, 'an endpoint was disabled');
  }

  /** @returns the endpoints that were disabled, with the reason */
  private async noteHealth(tenantId: string, ended: readonly Ended[]): Promise<Map<string, string>> {
    const disabled = new Map<string, string>();
    const attempted = ended.filter(({ outcome }) => outcome?.tentative);
    // In one order everywhere, so that two workers never wait for each other.
    for (const [id, ofOne] of [...Map.groupBy(attempted, ({ webhookId }) => webhookId)].sort(byKey)) {
      const reason = await this.healthOf(tenantId, id, ofOne);
      if (reason && (await this.webhooks.disable(tenantId, id, ofOne.at(-1)!.at, reason)))
        disabled.set(id, reason);
    }
    return disabled;
  }

  /** Notes whether an endpoint accepts anything; answers why it is to be disabled, if it is. */
  private async healthOf(
    tenantId: string,
    id: string,
    attempts: readonly Ended[],
  ): Promise<string | undefined> {
    const last = attempts.at(-1)!;
    const knownSince = last.failingSince;
    if (attempts.some(({ outcome }) => outcome!.tentative!.statut === 410))
      return 'The receiver answered 410 Gone.';
    if (attempts.some(({ outcome }) => outcome!.etat === 'Reussie')) {
      if (attempts.some(({ failingSince }) => failingSince)) await this.webhooks.recovered(tenantId, id);
      return undefined;
    }
    // The row of a busy endpoint is written when something changes, not at each attempt.
    const isTooLong = (since: Date): boolean => last.at.getTime() - since.getTime() >= LONGEST_FAILURE_MS;
    if (knownSince && !isTooLong(knownSince)) return undefined;
    const since = await this.webhooks.failing(tenantId, id, last.at);
    return since && isTooLong(since) ? 'No attempt has succeeded for five days.' : undefined;
  }
}

function nameOf(id: string, tour: number): string {
  return `${id} ${tour}`;
}

/** A turn that this process ended twice, as after its job was taken for abandoned, counts once: what ended it first. */
function oneATurn(ended: readonly Ended[]): Ended[] {
  const first = new Map<string, Ended>();
  for (const one of ended) {
    const name = nameOf(one.outcome!.id, one.outcome!.tour);
    if (!first.has(name)) first.set(name, one);
  }
  return [...first.values()];
}

/** What one statement writes whole, since nothing follows from it, and the rest. */
function separate(ended: readonly Ended[]): [plain: Ended[], others: Ended[]] {
  const isPlain = ({ outcome, failingSince }: Ended): boolean =>
    outcome!.etat === 'Annulee' || (outcome!.etat === 'Reussie' && !failingSince);
  return [ended.filter(isPlain), ended.filter((one) => !isPlain(one))];
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
