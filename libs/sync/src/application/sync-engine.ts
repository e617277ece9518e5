import { SYNC_EVENTS } from '../domain/sync.events';
import { PLAN, SYNC } from '../domain/sync.errors';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ActiveCampaigns, ChangementQuery, EffetsRepository } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { AuditedAction } from '#platform/audit/audited-action';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { Outbox } from '#platform/events/outbox';
import { BUDGETS } from '#platform/limits/budgets';
import type { Effets, Synced } from '../domain/effets.types';
import { type Freins, isBraked, isOn } from '../domain/freins';
import type { NomSync } from '../domain/sync.types';
import type { SyncBloquee, SyncTerminee } from '../domain/sync-terminee.types';
import { FreinsQuery } from '../persistence/freins.query';
import { PlanRepository } from '../persistence/plan.repository';
import { SyncRepository } from '../persistence/sync.repository';
import { effetsParEmployeur } from './effets';
import { ImageBox } from './image-box';
import { OVERTAKEN, syncLockOf } from './overtaken';
import { SyncProgress } from './sync-progress';
import { fr, type Language } from '#platform/errors/text';

/** Maximum number of plans of a data space that can be applied, and of votes that a plan names. */
export const MOST_PLANS = 20;
export const MOST_VOTES = 500;

/** Options of one write of records. */
export interface WriteOptions {
  readonly progress: SyncProgress;
  /** Employments that the request leaves out stay as they are. */
  readonly keepOmitted: boolean;
  /** Language of the messages of rejected records. */
  readonly language: Language;
}

/** The parts in which the two versions of the sync differ. */
export interface SyncVersion<Q, R extends object, N extends NomSync = 'V1' | 'V2'> {
  readonly name: N;
  readonly action: AuditedAction;
  /** Writes the records of a request, in the ambient transaction. */
  write(tenantId: string, request: Q, options: WriteOptions): Promise<Synced<R>>;
  /** Returns the numbers of records in the event. */
  totalsOf(resultat: R): Pick<SyncTerminee, 'crees' | 'modifies' | 'refuses'>;
}

export interface SyncOptions<R> {
  /** Answers what would happen and writes nothing. */
  readonly simulation: boolean;
  /** The body of the request, which a plan keeps if the brake stops the sync. */
  readonly corps: () => Buffer;
  /** Id of the sync; that of its task, or a new one if absent. */
  readonly id?: string;
  /** The task of the sync. The end of a simulated task makes an event, too. */
  readonly tacheId?: string;
  /** Language of the messages of rejected records; English if absent. */
  readonly language?: Language;
  /** Receives the progress of the sync. */
  readonly progress?: SyncProgress;
  /** Done in the sync's transaction once all is written; after what a simulation wrote is undone. */
  readonly conclude?: (synced: Synced<R>) => Promise<void>;
  /** Done in the sync's transaction if the brake stops it. */
  readonly refuse?: (refusal: DomainError) => Promise<void>;
}

/** Identifiers of a stored sync and of its task, plan or undone sync. */
interface Origin {
  readonly id: string;
  readonly tacheId?: string | undefined;
  readonly planId?: string;
  /** The sync that it undoes. */
  readonly annule?: string;
}

/** The plan of a sync, and its effects if it were done. */
interface Drawn {
  readonly planId: string;
  readonly effets: Effets;
}

/**
 * Runs syncs of both versions (docs/adr/0052). A simulation is a sync that is undone, a plan is a simulation whose changes are noted and
 * kept, and a sync that the brake stops becomes a plan.
 */
@Injectable()
export class SyncEngine {
  constructor(
    private readonly transactions: Transactions,
    private readonly changements: ChangementQuery,
    private readonly effets: EffetsRepository,
    private readonly campaigns: ActiveCampaigns,
    private readonly plans: PlanRepository,
    private readonly freins: FreinsQuery,
    private readonly syncs: SyncRepository,
    private readonly box: ImageBox,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `Sync.FreinDeclenche`; only the plan is written then */
  async run<Q, R extends object>(
    version: SyncVersion<Q, R>,
    tenantId: string,
    actor: Actor,
    request: Q,
    {
      simulation,
      corps,
      tacheId,
      id = tacheId ?? randomUUID(),
      language = 'en',
      progress = new SyncProgress(0),
      conclude,
      refuse,
    }: SyncOptions<R>,
  ): Promise<Synced<R>> {
    const done = await this.transactions.run(
      { tenantId },
      async () => {
        progress.restart();
        const freins = await this.begin(tenantId, id);
        const write = (): Promise<Synced<R>> =>
          version.write(tenantId, request, { progress, keepOmitted: freins.jamaisSupprimer, language });
        const synced = await (simulation
          ? this.transactions.undone(write)
          : this.unlessBraked(freins, () => this.noted(write)));
        if (!synced) {
          const refusal = await this.stop(version, tenantId, request, corps(), freins);
          await refuse?.(refusal);
          return refusal;
        }
        // First, because it ends a task that another worker has done.
        await conclude?.(synced);
        if (!simulation) await this.keep(version, tenantId, actor, synced, { id, tacheId });
        else if (tacheId) await this.announce(version, tenantId, synced, null, tacheId);
        return synced;
      },
      OVERTAKEN,
    );
    if (done instanceof DomainError) throw done;
    return done;
  }

  /**
   * Undoes a sync. The brake does not stop an undo, which puts back what was there.
   *
   * @param annule the sync
   * @returns also the id of the undo, which is a sync and can be undone; null for a simulation
   */
  async undo<Q, R extends object>(
    version: SyncVersion<Q, R, 'Annulation'>,
    tenantId: string,
    actor: Actor,
    request: Q,
    annule: string,
    simulation: boolean,
  ): Promise<Synced<R> & { readonly syncId: string | null }> {
    const id = randomUUID();
    return this.transactions.run(
      { tenantId },
      async () => {
        await this.begin(tenantId, id);
        const write = (): Promise<Synced<R>> =>
          version.write(tenantId, request, {
            progress: new SyncProgress(0),
            keepOmitted: true,
            language: 'en',
          });
        if (simulation) return { ...(await this.transactions.undone(write)), syncId: null };
        const synced = await this.noted(write);
        await this.keep(version, tenantId, actor, synced, { id, annule });
        return { ...synced, syncId: id };
      },
      OVERTAKEN,
    );
  }

  /**
   * Draws a plan of a request, in a transaction of its own.
   *
   * @param id given by the database if absent
   * @returns its id
   * @throws DomainError `Plan.TropNombreux`
   */
  async plan<Q, R extends object>(
    version: SyncVersion<Q, R>,
    tenantId: string,
    request: Q,
    corps: Buffer,
    id?: string,
  ): Promise<string> {
    return this.transactions.run(
      { tenantId },
      async () => {
        const freins = await this.begin(tenantId);
        if (!(await this.plans.makeRoom(tenantId, MOST_PLANS, BUDGETS.storedBytes)))
          throw new DomainError(PLAN.TropNombreux);
        const { planId } = await this.draw(version, tenantId, request, corps, freins, id);
        return planId;
      },
      OVERTAKEN,
    );
  }

  /**
   * Writes the request of a plan if the changes are those of the plan, in the ambient transaction.
   *
   * @param empreinte of the plan
   * @returns undefined if they are others; the writes are undone then
   */
  async apply<Q, R extends object>(
    version: SyncVersion<Q, R>,
    tenantId: string,
    actor: Actor,
    request: Q,
    empreinte: string,
    { freins, language }: { readonly freins: Freins; readonly language: Language },
    origin: Origin,
  ): Promise<Synced<R> | undefined> {
    const synced = await this.unless(async () => {
      const written = await this.writeNoted(version, tenantId, request, freins, language);
      await this.effets.merge();
      return { written, isRefused: (await this.effets.digest()) !== empreinte };
    });
    if (synced) await this.keep(version, tenantId, actor, synced, origin);
    return synced;
  }

  /** Waits for other syncs of the data space, and says that the changes of the ambient transaction are those of a sync. */
  async begin(tenantId: string, syncId: string = randomUUID()): Promise<Freins> {
    await this.transactions.lockByName(syncLockOf(tenantId));
    await this.syncs.begin();
    await this.changements.originate('sync', syncId);
    return this.freins.of(tenantId);
  }

  /** Writes a request. Returns undefined if the brake stops it, and undoes the writes. */
  private unlessBraked<R>(freins: Freins, write: () => Promise<Synced<R>>): Promise<Synced<R> | undefined> {
    if (!isOn(freins)) return write();
    return this.unless(async () => {
      const written = await write();
      return { written, isRefused: isBraked(written.effets, freins) };
    });
  }

  /** Undoes `work` if it is refused, and returns undefined then. */
  private async unless<R>(work: () => Promise<{ written: R; isRefused: boolean }>): Promise<R | undefined> {
    const refused = new Error('Refused');
    try {
      return await this.transactions.savepoint(async () => {
        const { written, isRefused } = await work();
        if (isRefused) throw refused;
        return written;
      });
    } catch (error) {
      if (error === refused) return undefined;
      throw error;
    }
  }

  /** Keeps a sync that the brake has stopped as a plan, with its event. @returns its refusal */
  private async stop<Q, R extends object>(
    version: SyncVersion<Q, R>,
    tenantId: string,
    request: Q,
    corps: Buffer,
    freins: Freins,
  ): Promise<DomainError> {
    // A refused sync is often sent again: each refusal has its plan, and the oldest of them go.
    await this.plans.makeRoom(tenantId, MOST_PLANS, BUDGETS.storedBytes);
    const { planId, effets } = await this.draw(version, tenantId, request, corps, freins);
    const data: SyncBloquee = { version: version.name, planId, effets };
    await this.outbox.add(tenantId, SYNC_EVENTS.bloquee, JSON.stringify(data));
    return braked({ planId, effets });
  }

  private async draw<Q, R extends object>(
    version: SyncVersion<Q, R>,
    tenantId: string,
    request: Q,
    corps: Buffer,
    freins: Freins,
    id?: string,
  ): Promise<Drawn> {
    const drawn = await this.transactions.undone(async () => {
      const { effets } = await this.writeNoted(version, tenantId, request, freins);
      await this.effets.merge();
      const empreinte = await this.effets.digest();
      const { changements, parEmployeur, employes } = await this.effets.describe(tenantId, version.name);
      const votesTouches = await this.campaigns.check.votesOf(tenantId, employes, MOST_VOTES);
      return { effets, empreinte, changements, parEmployeur, votesTouches };
    });
    const { effets, parEmployeur, ...rest } = drawn;
    const planId = await this.plans.insert(tenantId, {
      ...rest,
      id,
      version: version.name,
      etat: isBraked(effets, freins) ? 'Bloque' : 'Pret',
      resume: effets,
      parEmployeur: effetsParEmployeur(effets, parEmployeur),
      corps,
    });
    return { planId, effets };
  }

  /** Writes a request of a plan, and notes the records that it touches. */
  private writeNoted<Q, R extends object>(
    version: SyncVersion<Q, R>,
    tenantId: string,
    request: Q,
    freins: Freins,
    language: Language = 'en',
  ): Promise<Synced<R>> {
    const options = { progress: new SyncProgress(0), keepOmitted: freins.jamaisSupprimer, language };
    return this.noted(() => version.write(tenantId, request, options));
  }

  /** Does `write`, and notes the records that it touches. */
  private async noted<R>(write: () => Promise<R>): Promise<R> {
    await this.effets.note();
    return write();
  }

  /** Stores a sync that has written, in its transaction, with its changes, its event and its entry of the audit trail. */
  private async keep<Q, R extends object>(
    version: SyncVersion<Q, R, NomSync>,
    tenantId: string,
    actor: Actor,
    synced: Synced<R>,
    { id, tacheId, planId, annule }: Origin,
  ): Promise<void> {
    const notes = await this.effets.end();
    const evenementId = await this.announce(version, tenantId, synced, id, tacheId);
    const { name } = version;
    const sync = {
      ...{ id, version: name, tacheId, planId, annule, evenementId, effets: synced.effets },
      ...this.box.seal(tenantId, id, notes),
    };
    await this.syncs.insert(tenantId, sync, BUDGETS.storedBytes);
    this.audit.record(tenantId, actor, version.action, [tenantId]);
  }

  /** Adds the event of a sync that has ended, in its transaction. @returns the event's id */
  private announce<Q, R extends object>(
    version: SyncVersion<Q, R, NomSync>,
    tenantId: string,
    { resultat, effets }: Synced<R>,
    syncId: string | null,
    tacheId: string | null = null,
  ): Promise<string> {
    const totals = version.totalsOf(resultat);
    const data: SyncTerminee = {
      ...{ version: version.name, syncId, tacheId, etat: 'Reussie', simulation: syncId === null },
      ...totals,
      effets,
    };
    return this.outbox.add(tenantId, SYNC_EVENTS.terminee, JSON.stringify(data));
  }
}

function braked({ planId, effets: resume }: Drawn): DomainError {
  const { termines, champsVides } = resume;
  return new DomainError(
    SYNC.FreinDeclenche,
    {
      en: `The sync would end ${termines} employments and memberships and clear ${champsVides} values, which is more than the client's brake allows. Nothing was written. Plan ${planId} shows each change; an administrator may release it.`,
      fr: fr`La synchronisation dépasse ce que le frein du client permet. Emplois et appartenances syndicales qu'elle terminerait : ${termines}. Valeurs qu'elle viderait : ${champsVides}. Rien n'a été écrit. Le plan ${planId} montre chaque modification; un administrateur peut le débloquer.`,
    },
    { further: { planId, resume }, hasWritten: true },
  );
}
