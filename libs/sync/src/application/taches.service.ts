import { SYNC_EVENTS } from '../domain/sync.events';
import { TACHE_QUEUE } from './tache-queues';
import type { DuePiece, SharedWork } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import type { Head } from '#platform/jobs/queue-database';
import { DEBIT, SERVICE } from '#platform/errors/platform.errors';
import { TACHE } from '../domain/sync.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { ranOutOfTime } from '#platform/errors/sql-errors';
import { NO_TENANT } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { parseBody, invalidJson } from '#platform/input/parse-body';
import { Outbox } from '#platform/events/outbox';
import { JobQueue } from '#platform/jobs/job-queue';
import { BUDGETS } from '#platform/limits/budgets';
import { inTurn } from '#platform/limits/list-parts';
import { foldRecord, isPlainObject } from '#platform/input/fold';
import { JsonFault } from '#platform/input/json-rows';
import { SYNC_V2_FIELDS } from '../domain/sync-v2.fields';
import type { SyncTerminee } from '../domain/sync-terminee.types';
import type { ErreurTache, TypeTache } from '../domain/tache.types';
import {
  type LongResult,
  TacheRepository,
  type TacheRow as Tache,
  type TacheWork,
} from '../persistence/tache.repository';
import { NO_EFFETS } from './effets';
import { SyncProgress } from './sync-progress';
import { countOf, type SyncV2Request, SyncV2Service } from './sync-v2.service';
import { fr, type Language, type Text } from '#platform/errors/text';

export type { LongResult, Tache };

/** Interval of progress updates, in ms. */
const TICK_MS = 500;

/** Maximum number of waiting and running tasks of a tenant. Each stores its body. */
const MOST_UNFINISHED = 20;

/** Tasks at once in one worker. Each holds its body in memory and a connection of the pool, long ones for minutes. */
const AT_ONCE = 4;
const LONG_AT_ONCE = 2;

/** A task with more records or bytes is long: others may run meanwhile. */
const SHORT_RECORDS = 2_000;
const SHORT_BYTES = 1_048_576;

/** Maximum number of identifiers that are looked for in bodies, each of up to 64 MB. */
const MOST_LOOKED_FOR = 100;

/** Pause until a task that failed for no fault of its own is looked at again, in ms. Its job has a pause of its own, too. */
const AFTER_FAILURE_MS = 1_000;

/** Job of a task. */
export interface TacheJob {
  readonly tenantId: string;
  readonly tacheId: string;
  /** The actor; absent in jobs of older versions. */
  readonly actor?: Actor;
  /** Language of its messages, that of the request; absent in jobs of older versions. */
  readonly language?: Language;
  /** Whether it ends within seconds; absent in jobs of older versions. */
  readonly isShort?: boolean;
}

/** Options of a new task. */
export interface NewTache {
  /** Given by the service if absent. */
  readonly id?: string;
  /** Language of the messages in its result or its error; English if absent. */
  readonly language?: Language;
  /** Whether it may last for minutes, whatever its size. */
  readonly isLong?: boolean;
}

interface DueTache extends DuePiece {
  readonly head: Head<TacheJob>;
}

/**
 * Performs a task of another type than a sync, in one transaction.
 *
 * @param conclude writes the result, in that transaction
 * @throws DomainError with which the task fails
 */
export type TachePerformer = (
  tenantId: string,
  actor: Actor,
  work: TacheWork,
  conclude: (resultat: object) => Promise<void>,
) => Promise<void>;

/** Another worker has ended the task, so this transaction is rolled back. */
class AlreadyOver extends Error {}

/** Syncs in the background (docs/contract.md, "Tasks"). */
@Injectable()
export class TachesService {
  private readonly work: SharedWork;
  private readonly performers = new Map<TypeTache, TachePerformer>();

  constructor(
    private readonly transactions: Transactions,
    private readonly taches: TacheRepository,
    private readonly queue: JobQueue,
    private readonly syncs: SyncV2Service,
    private readonly outbox: Outbox,
    sharing: WorkSharing,
  ) {
    this.work = sharing.of({
      ...{ name: TACHE_QUEUE.name, atOnce: AT_ONCE, longAtOnce: LONG_AT_ONCE, isLong: true },
      afterFailureMs: AFTER_FAILURE_MS,
    });
  }

  /** Returns whether an unfinished sync names the employee and could create it again, in the ambient transaction. */
  namesEmploye(tenantId: string, idExterne: string): Promise<boolean> {
    return this.taches.isNamed(tenantId, idExterne);
  }

  /**
   * Returns whether an unfinished sync may name one of the employees, in the ambient transaction. For more than 100 employees,
   * returns true if there is any unfinished sync.
   */
  mayNameAny(tenantId: string, idsExternes: readonly string[]): Promise<boolean> {
    return idsExternes.length > MOST_LOOKED_FOR
      ? this.taches.hasUnfinishedSync(tenantId)
      : this.taches.isNamed(tenantId, ...idsExternes);
  }

  /**
   * Stores a sync for the worker.
   *
   * @param corps the body as sent; the types of its lists have been checked
   * @throws DomainError `Requete.TropVolumineuse`, `Debit.Depasse` if too many tasks are unfinished
   */
  async submit(
    tenantId: string,
    actor: Actor,
    corps: Buffer,
    request: SyncV2Request,
    simulation: boolean,
    options?: NewTache,
  ): Promise<Tache> {
    return this.add(tenantId, actor, { type: 'sync', corps, total: countOf(request), simulation }, options);
  }

  /** Registers what performs tasks of another type: their context imports this one, and not the reverse. */
  register(type: TypeTache, performer: TachePerformer): void {
    this.performers.set(type, performer);
  }

  /** Whether a task of a type has not ended, in the ambient transaction. */
  hasUnfinished(tenantId: string, type: TypeTache): Promise<boolean> {
    return this.taches.hasUnfinished(tenantId, type);
  }

  /** Stores a task of any type, like `submit`. */
  async add(
    tenantId: string,
    actor: Actor,
    work: TacheWork,
    { id, language = 'en', isLong = false }: NewTache = {},
  ): Promise<Tache> {
    const { corps, total } = work;
    return this.transactions.run({ tenantId }, async () => {
      if ((await this.taches.countUnfinished(tenantId)) >= MOST_UNFINISHED) {
        throw new DomainError(
          DEBIT.Depasse,
          {
            en: `${MOST_UNFINISHED} tasks wait or run already. Send this one when some of them have ended.`,
            fr: fr`${MOST_UNFINISHED} tâches attendent ou sont déjà en cours. Envoyez celle-ci lorsque quelques-unes sont terminées.`,
          },
          { retryAfterSeconds: 10 },
        );
      }
      const tacheId = await this.taches.insert(tenantId, work, id);
      const isShort = !isLong && total <= SHORT_RECORDS && corps.length <= SHORT_BYTES;
      const data: TacheJob = { tenantId, tacheId, actor, language, isShort };
      await this.queue.add(TACHE_QUEUE, [{ data, group: tenantId }]);
      return this.get(tenantId, tacheId);
    });
  }

  /** @throws DomainError `Tache.NotFound` */
  async get(tenantId: string, id: string): Promise<Tache> {
    const tache = await this.taches.find(tenantId, id);
    if (!tache) throw new DomainError(TACHE.NotFound);
    return tache;
  }

  /** Yields the JSON text of a long result, as fast as it is taken. */
  resultat(tenantId: string, id: string, long: LongResult): AsyncGenerator<Uint8Array, void> {
    return inTurn(this.transactions.clientOf({ tenantId }), this.taches.parts(tenantId, id, long));
  }

  /**
   * Performs waiting tasks: those of a data space one at a time in the order of their arrival, and one at a time of a client in
   * each worker. Short ones do not wait for long ones of other clients. Failures as in `SharedWork`.
   */
  performAllDue(): Promise<void> {
    return this.work.each<DueTache>({
      find: async (except) => {
        const heads = await this.queue.heads<TacheJob>(TACHE_QUEUE);
        return heads
          .filter(({ isDue, data }) => isDue && !except.includes(data.tacheId))
          .map((head) => ({
            ...{ tenantId: head.data.tenantId, id: head.data.tacheId, head },
            isLong: !head.data.isShort,
          }));
      },
      work: ({ head }) => this.queue.runHead(TACHE_QUEUE, head, (job) => this.perform(job)),
      putAside: async ({ head }) => {
        await this.abandon(head.data);
        await this.queue.drop(TACHE_QUEUE, head.id);
      },
    });
  }

  /**
   * Performs a task unless it has ended. The transaction of the sync also writes the result, so the sync takes effect once
   * even if workers die, and the result belongs to that run.
   *
   * @throws errors after which the queue tries again
   */
  async perform({
    tenantId,
    tacheId,
    actor = { cleId: NO_TENANT, requestId: tacheId },
    language = 'en',
  }: TacheJob): Promise<void> {
    const work = await this.taches.begin(tenantId, tacheId);
    if (!work) return;
    const progress = new SyncProgress(work.total);
    const ticker = new Ticker(() => this.taches.advance(tenantId, tacheId, progress.traites));
    const end = async (write: () => Promise<boolean>): Promise<void> => {
      // A running tick would wait for the row that this transaction is about to write.
      await ticker.stop();
      if (!(await write())) throw new AlreadyOver();
    };
    const conclude = (done: Parameters<TacheRepository['succeed']>[2]): Promise<void> =>
      end(() => this.taches.succeed(tenantId, tacheId, done, BUDGETS.storedBytes));
    const fail = ({ code, detail }: DomainError): Promise<boolean> =>
      this.fail(tenantId, tacheId, { code, detail: detail[language] });
    try {
      if (work.type !== 'sync') {
        const performer = this.performers.get(work.type);
        if (!performer) throw new Error(`Nothing performs tasks of type ${work.type}.`);
        await performer(tenantId, actor, work, (resultat) =>
          conclude({ resultat: JSON.stringify(resultat), effets: null }),
        );
        return;
      }
      const request = await readRequest(work.corps);
      await this.syncs.sync(tenantId, actor, request, {
        simulation: work.simulation,
        corps: () => work.corps,
        tacheId,
        language,
        progress,
        conclude,
        refuse: (refusal) => end(() => fail(refusal)),
      });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal instanceof DomainError) {
        await ticker.stop();
        await fail(refusal);
      } else if (!(error instanceof AlreadyOver)) throw error;
    } finally {
      await ticker.stop();
    }
  }

  /** Ends a task that was tried too often. */
  async abandon({ tenantId, tacheId, language = 'en' }: TacheJob): Promise<void> {
    await this.fail(tenantId, tacheId, { code: SERVICE.ErreurInterne.code, detail: ABANDONED[language] });
  }

  /** Returns false if the task had ended already. */
  private fail(tenantId: string, tacheId: string, erreur: ErreurTache): Promise<boolean> {
    return this.transactions.run({ tenantId }, async () => {
      const failed = await this.taches.fail(tenantId, tacheId, erreur);
      if (failed?.type !== 'sync') return !!failed;
      const data: SyncTerminee = {
        version: 'V2',
        syncId: null,
        tacheId,
        etat: 'Echouee',
        simulation: failed.simulation,
        crees: 0,
        modifies: 0,
        refuses: 0,
        effets: NO_EFFETS,
      };
      await this.outbox.add(tenantId, SYNC_EVENTS.terminee, JSON.stringify(data));
      return true;
    });
  }

  purgeExpired(spaces: readonly string[]): Promise<number> {
    return this.taches.purgeExpired(spaces);
  }
}

/** Detail of a task that was tried again and again, and never ended. */
const ABANDONED: Text = {
  en: 'The task was tried several times and never ended. Nothing was written. Send it again in smaller parts.',
  fr: fr(
    "La tâche a été tentée plusieurs fois et ne s'est jamais terminée. Rien n'a été écrit. Renvoyez-la en plus petites parties.",
  ),
};

/** Returns the lists of a body, which was checked on arrival. */
async function readRequest(corps: Buffer): Promise<SyncV2Request> {
  const body = await parseBody(corps, true);
  return isPlainObject(body) ? foldRecord(body, SYNC_V2_FIELDS, 'bulk', '', []) : {};
}

/** Returns the error that every further attempt would have, as a DomainError. Returns other errors unchanged. */
function refusalOf(error: unknown): unknown {
  if (error instanceof JsonFault) return invalidJson(error);
  if (!ranOutOfTime(error)) return error;
  return new DomainError(SERVICE.Indisponible, {
    en: 'The task took longer than the service allows. Nothing was written. Send it in smaller parts.',
    fr: fr(
      "La tâche a duré plus longtemps que le service ne le permet. Rien n'a été écrit. Envoyez-la en plus petites parties.",
    ),
  });
}

/** Runs `tick` every `TICK_MS`, one at a time, until it is stopped. */
class Ticker {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | undefined;

  constructor(tick: () => Promise<void>) {
    this.timer = setInterval(() => {
      this.running ??= tick()
        // A failed progress update does not stop the sync.
        .catch(() => undefined)
        .finally(() => (this.running = undefined));
    }, TICK_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
