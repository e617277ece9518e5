import { Inject, Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { Config } from '#platform/ops/config';
import { sqlState } from '#platform/database/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { LOGGER } from '#platform/ops/logger';
import { type HeldJob, JobQueue } from '#platform/jobs/job-queue';
import { retryDelay } from '../domain/retry-delays';
import {
  type Conclusion,
  ExpeditionRepository,
  type HeldDestinataire,
  type Letter,
  type Turn,
} from '../persistence/expedition.repository';
import { ConclusionRecorder } from './conclusion-recorder';
import { COURRIEL_QUEUE, type CourrielJob } from './courriel-jobs';
import { type Delivered, type Mailer, MAILER } from './mailer';
import { Message, sendable } from './message';
import { Pause } from './pause';
import { SendingMetrics } from './sending-metrics';

/** Connections to the mail server, and messages at once. */
const AT_ONCE = 8;

/** Recipients that are taken up together. */
const SLICE = 100;

/** Slices that one process works on, and those of them that one tenant may have. */
const MOST_SLICES = 8;
const MOST_SLICES_OF_ONE = 2;

const IDLE_MS = 250;
const RETRY_MS = 1_000;

/** Recipients whose lease is not renewed for 30 s are given to another worker. */
const KEEP_MS = 10_000;

/** A stop waits so long for the server's answers to messages that have ended. */
const LONGEST_STOP_MS = 20_000;

/** Short delay, because another worker read the recipient again or the address changed. */
const SOON_S = 5;

/**
 * Takes turns of letters, a slice of recipients each, and sends to them (docs/adr/0016). Any number of processes share the
 * work. What may happen twice is that a message is begun: only one attempt is let through to its end.
 */
@Injectable()
export class SendingWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly held = new Map<string, string>();
  private readonly slices = new Map<Promise<void>, string>();
  private readonly messages = new LRUCache<string, Promise<Message>>({ max: MOST_SLICES });
  private readonly limit = pLimit(AT_ONCE);
  private readonly pause = new Pause();
  private isStopping = false;
  private loop: Promise<void> = Promise.resolve();
  private keeper: NodeJS.Timeout | undefined;
  private wake: () => void = () => undefined;

  constructor(
    private readonly queue: JobQueue,
    private readonly transactions: Transactions,
    private readonly expeditions: ExpeditionRepository,
    private readonly recorder: ConclusionRecorder,
    private readonly metrics: SendingMetrics,
    private readonly config: Config,
    @Inject(MAILER) private readonly mailer: Mailer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.run();
    this.keeper = setInterval(() => {
      this.keep().catch((error: unknown) => this.warn(error));
    }, KEEP_MS);
  }

  /** Takes nothing more, ends what was let through, and gives back the rest. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.loop;
    const timer = setTimeout(() => this.mailer.close(), LONGEST_STOP_MS);
    await Promise.all(this.slices.keys());
    clearTimeout(timer);
    await this.recorder.settled();
    clearInterval(this.keeper);
    this.mailer.close();
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      try {
        const paused = this.pause.leftMs;
        const wanted = paused > 0 ? 0 : MOST_SLICES - this.slices.size;
        const taken = wanted > 0 ? await this.take(wanted) : 0;
        if (taken === 0) await this.sleep(Math.max(IDLE_MS, paused));
      } catch (error) {
        this.warn(error);
        await this.sleep(RETRY_MS);
      }
    }
  }

  private async take(wanted: number): Promise<number> {
    const busy = Map.groupBy(this.slices.values(), (tenantId) => tenantId);
    const full = [...busy].filter(([, ofOne]) => ofOne.length >= MOST_SLICES_OF_ONE).map(([id]) => id);
    const jobs = await this.queue.take<CourrielJob>(COURRIEL_QUEUE, wanted, MOST_SLICES_OF_ONE, full);
    await Promise.all(jobs.map((job) => this.begin(job)));
    return jobs.length;
  }

  /** Writes the next job together with the leases of this one, so that another process continues after a kill. */
  private async begin({ id, data }: HeldJob<CourrielJob>): Promise<void> {
    const { tenantId, courrielId, tour } = data;
    try {
      const turn = await this.transactions.run({ tenantId }, async () => {
        const taken = await this.expeditions.begin(tenantId, courrielId, tour, SLICE);
        if (taken?.next) {
          const next: CourrielJob = { tenantId, courrielId, tour: taken.tour };
          await this.queue.addAll(COURRIEL_QUEUE, [{ data: next, group: tenantId, startAfter: taken.next }]);
        }
        return taken;
      });
      await this.queue.done(COURRIEL_QUEUE, [id]);
      if (turn && turn.held.length > 0) this.start(tenantId, turn);
    } catch (error) {
      this.warn(error);
      await wait(RETRY_MS);
      await this.queue.giveBack(COURRIEL_QUEUE, [id]).catch((failure: unknown) => this.warn(failure));
    }
  }

  private start(tenantId: string, { letter, held }: Turn): void {
    for (const { id } of held) this.held.set(id, tenantId);
    const sends = held.map((one) => this.limit(() => this.send(tenantId, letter, one)));
    const slice: Promise<void> = Promise.all(sends).then(() => {
      this.slices.delete(slice);
      this.wake();
    });
    this.slices.set(slice, tenantId);
  }

  /** Makes one attempt. Never throws. */
  private async send(
    tenantId: string,
    letter: Letter,
    { id, essais, adresse }: HeldDestinataire,
  ): Promise<void> {
    const conclude = (etat: Conclusion['etat'], rest: Partial<Conclusion> = {}): void => {
      const conclusion = { id, etat, porteur: null, code: null, delayS: null, failed: false, ...rest };
      this.recorder.push(tenantId, conclusion, () => this.held.delete(id));
    };
    if (this.isStopping) return conclude('EnAttente', { delayS: 0 });
    const paused = this.pause.leftMs;
    if (paused > 0) return conclude('EnAttente', { delayS: Math.ceil(paused / 1_000) });
    const to = adresse === null ? undefined : sendable(adresse);
    if (to === undefined) return conclude('SansAdresse');

    let porteur: string | null = null;
    const gate = async (): Promise<boolean> => {
      if (this.isStopping) return false;
      porteur = randomUUID();
      return this.expeditions.letThrough(tenantId, id, adresse!, porteur);
    };
    let delivered: Delivered;
    try {
      const content = (await this.message(letter)).to(to, id);
      delivered = await this.mailer.deliver({ courrielId: letter.id, destinataireId: id, to, content }, gate);
    } catch (error) {
      // A fault of ours with this letter: it is not the server that has to rest.
      this.logger.error(
        { tenantId, courrielId: letter.id, error: (error as Error).name },
        'a letter could not be sent',
      );
      delivered = { result: 'later', code: null };
    }
    this.metrics.note(delivered);
    this.noteServer(delivered);
    switch (delivered.result) {
      case 'accepted':
        return conclude('Envoye', { porteur });
      case 'refused':
        return conclude('Refuse', { porteur, code: delivered.code });
      case 'unknown':
        return conclude('Incertain', { porteur });
      case 'later':
        return conclude('EnAttente', {
          ...{ porteur, code: delivered.code, failed: true },
          delayS: retryDelay(essais + 1, Math.random()),
        });
      case 'unreachable':
        return conclude('EnAttente', { delayS: Math.ceil(this.pause.leftMs / 1_000) });
      case 'held':
        // Whether the gate was closed or only did not answer: what it has let through is taken back. Else another attempt
        // has the recipient, or whoever takes it up next reads it anew.
        conclude('EnAttente', { porteur, delayS: SOON_S });
    }
  }

  private noteServer(delivered: Delivered): void {
    if (delivered.result === 'unreachable') {
      if (this.pause.begin())
        this.logger.warn(
          { reason: delivered.reason },
          'the mail server cannot be used and will be tried again',
        );
    } else if (delivered.result === 'accepted' && this.pause.end()) {
      this.logger.info('the mail server can be used again');
    }
  }

  private message(letter: Letter): Promise<Message> {
    let message = this.messages.get(letter.id);
    if (message) return message;
    message = Message.compose(letter, this.config.mailFrom);
    this.messages.set(letter.id, message);
    // A failed write is tried again.
    message.catch(() => this.messages.delete(letter.id));
    return message;
  }

  private async keep(): Promise<void> {
    const byTenant = Map.groupBy(this.held, ([, tenantId]) => tenantId);
    for (const [tenantId, held] of byTenant) {
      const ids = held.map(([id]) => id);
      // Rows of one tenant that wait for a lock do not delay other tenants.
      await this.expeditions.keep(tenantId, ids).catch((error: unknown) => this.warn(error));
    }
  }

  /** Waits, until it is woken at the latest. */
  private sleep(ms: number): Promise<void> {
    if (this.isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private warn(error: unknown): void {
    this.logger.warn({ sqlState: sqlState(error) }, 'e-mail is held up and will be tried again');
  }
}
