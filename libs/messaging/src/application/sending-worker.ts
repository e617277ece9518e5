import { Inject, Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Databases } from '#platform/database/databases';
import { Transactions } from '#platform/database/transactions';
import { LOGGER } from '#platform/ops/logger';
import { sendable } from '#platform/input/email-address';
import { FairLimit } from '#platform/jobs/fair-limit';
import { JobQueue, type LeasedJob } from '#platform/jobs/job-queue';
import { QueueConsumer } from '#platform/jobs/queue-consumer';
import { TenantBatches } from '#platform/jobs/tenant-batches';
import type { Beginning } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import { retryDelay } from '../domain/retry-delays';
import {
  type Conclusion,
  type Email,
  ExpeditionRepository,
  type LeasedDestinataire,
  type Slice,
} from '../persistence/expedition.repository';
import { COURRIEL_QUEUE, type CourrielJob } from './courriel-jobs';
import { MailConfig } from './mail-config';
import { type Delivered, type Mailer, MAILER } from './mailer';
import { Message } from './message';
import { Pause } from './pause';
import { SendingMetrics } from './sending-metrics';

/** Connections to the mail server, and concurrent messages. */
const MOST_CONCURRENT = 8;

/** Recipients that one job leases. */
const SLICE = 100;

/** Slices that one process works on, and those of them that one client may have. */
const MOST_SLICES = 16;
const MOST_SLICES_OF_CLIENT = 2;

/** Data spaces whose clients are kept. */
const MOST_KNOWN = 10_000;

/** Pause after a fetch without jobs, in ms. */
const IDLE_MS = 250;
const RETRY_MS = 1_000;

/** Recipients whose lease is not renewed for 30 s are given to another worker. */
const RENEW_EVERY_MS = 10_000;

/** Maximum time, in ms, that a stop waits for the server's responses to messages that have ended. */
const LONGEST_STOP_MS = 20_000;

/** Short delay, because another worker read the recipient again or the address changed. */
const SOON_S = 5;

/**
 * Takes jobs of emails, leases a slice of recipients for each, and sends to them (docs/adr/0016). Any number of processes
 * share the work. A message may be begun twice, but the pre-send check lets only one attempt end it.
 */
@Injectable()
export class SendingWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly consumer: QueueConsumer;
  private readonly conclusions: TenantBatches<Conclusion>;
  private readonly leased = new Map<string, string>();
  private readonly slices = new Set<Promise<void>>();
  /** Slices by client, those included that are about to begin. */
  private readonly slicesOf = new Map<string, number>();
  /** Clients of data spaces that have had jobs. */
  private readonly clients = new LRUCache<string, string>({ max: MOST_KNOWN });
  /** Emails that this process has noted, and those of which it has made a message since. */
  private readonly noted = new Map<string, () => void>();
  private readonly proven = new LRUCache<string, true>({ max: MOST_KNOWN });
  private readonly messages = new LRUCache<string, Promise<Message>>({ max: MOST_SLICES });
  private readonly limit = new FairLimit(MOST_CONCURRENT);
  private readonly pause = new Pause();

  constructor(
    private readonly queue: JobQueue,
    private readonly transactions: Transactions,
    private readonly databases: Databases,
    private readonly sharing: WorkSharing,
    private readonly expeditions: ExpeditionRepository,
    private readonly metrics: SendingMetrics,
    private readonly config: MailConfig,
    @Inject(MAILER) private readonly mailer: Mailer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.consumer = new QueueConsumer(queue, COURRIEL_QUEUE, logger, {
      fetch: () => this.fetch(),
      renew: () => this.renew(),
      renewEveryMs: RENEW_EVERY_MS,
      failure: 'e-mail is delayed and will be tried again',
    });
    this.conclusions = new TenantBatches(
      (tenantId, conclusions) => this.conclude(tenantId, conclusions),
      logger,
      'results of e-mail could not be recorded and will be tried again',
    );
  }

  onApplicationBootstrap(): void {
    this.consumer.start();
  }

  /** Takes no more jobs, ends messages that passed the pre-send check, and gives back the other recipients. */
  async onModuleDestroy(): Promise<void> {
    await this.consumer.stop();
    const timer = setTimeout(() => this.mailer.close(), LONGEST_STOP_MS);
    await Promise.all(this.slices);
    clearTimeout(timer);
    await this.conclusions.settled();
    this.consumer.close();
    this.mailer.close();
  }

  private async fetch(): Promise<number> {
    const paused = this.pause.leftMs;
    const wanted = paused > 0 ? 0 : MOST_SLICES - this.slices.size;
    const taken = wanted > 0 ? await this.take(wanted) : 0;
    return taken === 0 ? Math.max(IDLE_MS, paused) : 0;
  }

  private async take(wanted: number): Promise<number> {
    const full = [...this.clients].filter(([, client]) => this.isFull(client)).map(([tenantId]) => tenantId);
    const jobs = await this.queue.take<CourrielJob>(COURRIEL_QUEUE, wanted, MOST_SLICES_OF_CLIENT, full);
    if (jobs.length === 0) return 0;
    let left: ReadonlySet<string>;
    let clients: readonly string[];
    try {
      ({ left } = await this.sharing.noted(COURRIEL_QUEUE.name));
      clients = await Promise.all(jobs.map(({ data }) => this.databases.clientOf(data.tenantId)));
    } catch (error) {
      await this.consumer.giveBack(jobs.map(({ id }) => id));
      throw error;
    }
    const begun: Promise<void>[] = [];
    for (const [place, job] of jobs.entries()) {
      const { tenantId, courrielId } = job.data;
      const client = clients[place]!;
      this.clients.set(tenantId, client);
      const isLeft = left.has(courrielId) && !this.noted.has(courrielId) && !this.proven.has(courrielId);
      const isKnown = this.noted.has(courrielId) || this.proven.has(courrielId);
      if (this.isFull(client) || !(isKnown || this.sharing.mayBegin(isLeft, false)))
        await this.consumer.giveBack([job.id]);
      else {
        this.count(client, 1);
        begun.push(this.queue.traced(COURRIEL_QUEUE.name, job, () => this.begin(job, client, isLeft)));
      }
    }
    await Promise.all(begun);
    return begun.length;
  }

  private isFull(client: string): boolean {
    return (this.slicesOf.get(client) ?? 0) >= MOST_SLICES_OF_CLIENT;
  }

  /** Counts the slices of a client. */
  private count(client: string, by: 1 | -1): void {
    const count = (this.slicesOf.get(client) ?? 0) + by;
    if (count > 0) this.slicesOf.set(client, count);
    else this.slicesOf.delete(client);
  }

  /**
   * Notes that an email begins in this process, because its content may end the process. The note is removed when the first message
   * is about to be ended, or with the slice if none is: a process that dies later did not die of the email.
   *
   * @param isLeft whether a dead process has left the email
   * @returns false if the email was put aside
   */
  private async note(tenantId: string, id: string, isLeft: boolean): Promise<boolean> {
    if (this.noted.has(id) || this.proven.has(id)) return true;
    const { name } = COURRIEL_QUEUE;
    const piece = { tenantId, id };
    const leave = this.sharing.enter(name, piece, isLeft);
    let beginning: Beginning = 'elsewhere';
    try {
      beginning = await this.sharing.begin(name, piece, isLeft);
      if (beginning === 'begun') this.noted.set(id, leave);
      // Another process may have noted it.
      if (beginning !== 'aside') return true;
      await this.sharing.putAside(name, piece, () => this.expeditions.abandon(tenantId, id));
      return false;
    } finally {
      if (beginning !== 'begun') leave();
    }
  }

  private async endNote(tenantId: string, id: string): Promise<void> {
    const leave = this.noted.get(id);
    if (!this.noted.delete(id)) return;
    await this.sharing.end(COURRIEL_QUEUE.name, { tenantId, id });
    leave?.();
  }

  /** Writes the next job together with the leases of this one, because another process must continue after a kill. */
  private async begin({ id, data }: LeasedJob<CourrielJob>, client: string, isLeft: boolean): Promise<void> {
    const { tenantId, courrielId, tour } = data;
    const end = async (): Promise<void> => {
      await this.endNote(tenantId, courrielId);
      this.count(client, -1);
    };
    let isStarted = false;
    try {
      const isPutAside = !(await this.note(tenantId, courrielId, isLeft));
      if (isPutAside) return await this.queue.done(COURRIEL_QUEUE, [id]);
      const slice = await this.transactions.run({ tenantId }, async () => {
        const taken = await this.expeditions.begin(tenantId, courrielId, tour, SLICE);
        if (taken?.next) {
          const next: CourrielJob = { tenantId, courrielId, tour: taken.generation };
          await this.queue.add(COURRIEL_QUEUE, [{ data: next, group: tenantId, startAfter: taken.next }]);
        }
        return taken;
      });
      await this.queue.done(COURRIEL_QUEUE, [id]);
      if (slice && slice.leased.length > 0) {
        isStarted = true;
        this.start(tenantId, client, slice, end);
      }
    } catch (error) {
      this.consumer.warn(error);
      await wait(RETRY_MS);
      await this.consumer.giveBack([id]);
    } finally {
      if (!isStarted) await end();
    }
  }

  private start(tenantId: string, client: string, { email, leased }: Slice, end: () => Promise<void>): void {
    for (const { id } of leased) this.leased.set(id, tenantId);
    const sends = leased.map((one) => this.limit.run(client, () => this.send(tenantId, email, one)));
    const slice: Promise<void> = Promise.all(sends)
      .then(end)
      .then(() => {
        this.slices.delete(slice);
        this.consumer.wake();
      });
    this.slices.add(slice);
  }

  /** Makes one attempt. Never throws. */
  private async send(
    tenantId: string,
    email: Email,
    { id, essais, adresse, permis }: LeasedDestinataire,
  ): Promise<void> {
    const conclude = (etat: Conclusion['etat'], rest: Partial<Conclusion> = {}): void => {
      const nothing = { attemptId: null, code: null, delayS: null, failed: false };
      this.conclusions.push(tenantId, { id, etat, ...nothing, ...rest });
    };
    if (this.consumer.isStopping) return conclude('EnAttente', { delayS: 0 });
    const to = adresse === null ? undefined : sendable(adresse);
    if (to === undefined) return conclude('SansAdresse');
    if (!permis) return conclude('Retenu');
    const paused = this.pause.leftMs;
    if (paused > 0) return conclude('EnAttente', { delayS: Math.ceil(paused / 1_000) });

    let attemptId: string | null = null;
    const gate = async (): Promise<boolean> => {
      if (this.consumer.isStopping) return false;
      this.proven.set(email.id, true);
      await this.endNote(tenantId, email.id);
      attemptId = randomUUID();
      return this.expeditions.letThrough(tenantId, id, adresse!, attemptId);
    };
    let delivered: Delivered;
    try {
      const content = (await this.message(email)).to(to, id);
      delivered = await this.mailer.deliver({ courrielId: email.id, destinataireId: id, to, content }, gate);
    } catch (error) {
      // The cause is this email, not the server: sending does not pause.
      this.logger.error(
        { tenantId, courrielId: email.id, error: (error as Error).name },
        'an e-mail could not be sent',
      );
      delivered = { result: 'later', code: null };
    }
    this.metrics.note(delivered);
    this.noteServer(delivered);
    switch (delivered.result) {
      case 'accepted':
        return conclude('Envoye', { attemptId });
      case 'refused':
        return conclude('Refuse', { attemptId, code: delivered.code });
      case 'unknown':
        return conclude('Incertain', { attemptId });
      case 'later':
        return conclude('EnAttente', {
          ...{ attemptId, code: delivered.code, failed: true },
          delayS: retryDelay(essais + 1, Math.random()),
        });
      case 'unreachable':
        return conclude('EnAttente', { delayS: Math.ceil(this.pause.leftMs / 1_000) });
      case 'held':
        // The check refused, or did not respond. This revokes a permission that it may have given. If another attempt has
        // the recipient, nothing changes.
        conclude('EnAttente', { attemptId, delayS: SOON_S });
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

  private message(email: Email): Promise<Message> {
    let message = this.messages.get(email.id);
    if (message) return message;
    message = Message.compose(email, this.config.from);
    this.messages.set(email.id, message);
    // The next attempt composes it again.
    message.catch(() => this.messages.delete(email.id));
    return message;
  }

  private async conclude(tenantId: string, conclusions: readonly Conclusion[]): Promise<void> {
    await this.expeditions.conclude(tenantId, conclusions);
    for (const { id } of conclusions) this.leased.delete(id);
  }

  private async renew(): Promise<void> {
    const byTenant = Map.groupBy(this.leased, ([, tenantId]) => tenantId);
    for (const [tenantId, leased] of byTenant) {
      const ids = leased.map(([id]) => id);
      // A lock wait of one tenant does not delay the other tenants.
      await this.expeditions.keep(tenantId, ids).catch((error: unknown) => this.consumer.warn(error));
    }
  }
}
