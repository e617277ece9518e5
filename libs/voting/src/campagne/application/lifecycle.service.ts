import { CAMPAGNE_EVENTS } from '../../domain/voting.events';
import { CAMPAGNE_ACTIONS } from '../../domain/voting.actions';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import type { Json } from '#platform/database/json';
import { DomainError } from '#platform/errors/domain-error';
import { DEBIT } from '#platform/errors/platform.errors';
import type { EventDefinition } from '#platform/events/event-type';
import { Outbox } from '#platform/events/outbox';
import type { SharedWork } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import type { Campagne } from '../domain/campagne.entity';
import { refusalsOf, type TransitionName } from '../domain/campagne.transitions';
import { CampagneQuery } from '../persistence/campagne.query';
import { CampagneRepository, type DueStep, type LockedCampagne } from '../persistence/campagne.repository';
import { DossierKeys } from '../../application/dossier-keys';
import { fr, type Language } from '#platform/errors/text';

/** Most campaigns of a data space that are published and not closed, because a worker looks at all of them every second. */
export const MOST_OPEN = 10_000;

/** Seconds until a publication beyond it may be tried again. */
const FULL_S = 3_600;

/** How campaigns go from state to state: by request, and by the clock (docs/contract.md, "States and transitions"). */
@Injectable()
export class LifecycleService {
  private readonly events: SharedWork;
  private readonly closings: SharedWork;

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: CampagneRepository,
    private readonly query: CampagneQuery,
    private readonly keys: DossierKeys,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
    sharing: WorkSharing,
  ) {
    // The next round tries again.
    const short = { atOnce: 2, isLong: false, afterFailureMs: 0 };
    this.events = sharing.of({ name: 'annonce', ...short });
    this.closings = sharing.of({ name: 'fermeture', ...short });
  }

  /**
   * @returns the campaign after it
   * @throws DomainError `Campagne.NotFound`, those of `TRANSITIONS`, `Debit.Depasse` for a publication beyond `MOST_OPEN`, and
   * `Service.Indisponible` without a key for the count
   */
  async transition(tenantId: string, actor: Actor, id: string, name: TransitionName): Promise<Json> {
    // Votes and count will be signed.
    if (name === 'publier') await this.keys.ready();
    await this.transactions.run({ tenantId }, async () => {
      const { campagne, at } = await this.lockExclusively(tenantId, id);
      campagne.fire(name, await this.repository.circumstances(campagne), at);
      if (name === 'publier' && (await this.repository.countOpen(tenantId)) >= MOST_OPEN) throw tooManyOpen();
      await this.repository.update(campagne);
      if (name === 'depublier') await this.repository.releaseBox(id);
      if (name === 'publier') {
        await this.repository.prepareBox(tenantId, id);
        await this.tell(campagne, [CAMPAGNE_EVENTS.publiee]);
      }
      await this.closeBox(campagne, at);
      await this.tellDue(campagne, at);
      this.audit.record(tenantId, actor, CAMPAGNE_ACTIONS[name], [id]);
    });
    // The box returns the seed of draws after the commit of the transaction that closed it.
    return this.query.one(tenantId, id);
  }

  /** All that would stop a publication at this moment. @param language of the details @throws DomainError `Campagne.NotFound` */
  async validation(tenantId: string, id: string, language: Language) {
    return this.transactions.read({ tenantId }, async () => {
      const { campagne, at } = await this.repository.look(tenantId, id);
      const circumstances = await this.repository.circumstances(campagne);
      const refusals = refusalsOf('publier', campagne.etat(at), circumstances, at);
      const erreurs = refusals.map(({ error, detail }) => ({ code: error.code, detail: detail[language] }));
      return { valide: erreurs.length === 0, erreurs };
    });
  }

  /**
   * Locks the campaign exclusively until the ambient transaction ends. Writes the events of due openings and closings
   * first, and closes the ballot box of a vote that has ended.
   *
   * @throws DomainError `Campagne.NotFound`
   */
  async lockExclusively(tenantId: string, id: string): Promise<LockedCampagne> {
    const locked = await this.repository.lock(tenantId, id, 'exclusive');
    await this.tellDue(locked.campagne, locked.at);
    await this.closeBox(locked.campagne, locked.at);
    return locked;
  }

  /** Uses the same time as the rest of the transaction, because the closing may pass while it runs. */
  private async closeBox(campagne: Campagne, at: Date): Promise<void> {
    if (campagne.hasEnded(at)) await this.repository.closeBox(campagne.idUnique);
  }

  /** Writes the events of openings and closings that have come by a moment, each once. */
  async tellDue(campagne: Campagne, at: Date): Promise<void> {
    const events = campagne.takeDueEvents(at);
    if (events.length === 0) return;
    await this.repository.updateAnnounced(campagne);
    await this.tell(campagne, events);
  }

  private async tell({ tenantId, idUnique }: Campagne, events: readonly EventDefinition[]): Promise<void> {
    const item = (await this.query.listedOne(tenantId, idUnique))!;
    for (const event of events) await this.outbox.add(tenantId, event, item);
  }

  /**
   * One round of the scheduler: writes the events of due openings and closings in all tenants. Several workers may run it
   * at once: each event is written once. A locked campaign waits for the next round. Shared out by client, and failures, as in
   * `SharedWork`.
   */
  tellAllDue(): Promise<void> {
    return this.events.each({
      find: (except) => this.repository.due(except),
      work: ({ tenantId, id }) =>
        this.transactions.run({ tenantId }, async () => {
          const locked = await this.repository.lockIfFree(tenantId, id);
          if (locked) await this.tellDue(locked.campagne, locked.at);
        }),
    });
  }

  /** Campaigns of a data space that have something to do by its clock, in the order of its dates. */
  dueOf(tenantId: string): Promise<DueStep[]> {
    return this.repository.dueOf(tenantId);
  }

  /** The first opening or closing of a data space after a date. @param until the latest date */
  nextDate(tenantId: string, after: Date, until: Date): Promise<Date | undefined> {
    return this.repository.nextDate(tenantId, after, until);
  }

  /** Writes the due events of a campaign, and closes its ballot box once its vote has ended. */
  async catchUp(tenantId: string, id: string): Promise<void> {
    await this.transactions.run({ tenantId }, () => this.lockExclusively(tenantId, id));
  }

  /**
   * Closes the ballot boxes of all tenants whose vote the clock has ended, each once the last votes are in. Shared out by client,
   * and failures, as in `SharedWork`.
   */
  closeAllDue(): Promise<void> {
    return this.closings.each({
      find: (except) => this.repository.dueBoxes(except),
      work: ({ tenantId, id }) => this.catchUp(tenantId, id),
    });
  }
}

function tooManyOpen(): DomainError {
  const detail = {
    en: `The data space has ${MOST_OPEN} campaigns that are published and not closed, its budget. Close or unpublish others first.`,
    fr: fr`L'espace de données a ${MOST_OPEN} campagnes publiées et non fermées, sa limite. Fermez-en d'autres d'abord, ou annulez leur publication.`,
  };
  return new DomainError(DEBIT.Depasse, detail, { retryAfterSeconds: FULL_S });
}
