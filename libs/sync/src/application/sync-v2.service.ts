import { SYNC_EVENTS } from '../domain/sync.events';
import { SYNC_ACTIONS } from '../domain/sync.actions';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ObjetConsentementBulk } from '#consent';
import { ChangementQuery, EmployesSyncService, SyndicatsSyncService } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { BulkResult } from '#platform/bulk/bulk-upsert';
import { Transactions } from '#platform/database/transactions';
import { Outbox } from '#platform/events/outbox';
import { messageOf } from '#platform/input/checked-list';
import { NestedLimits } from '#platform/limits/nested-limits';
import type { Synced } from '../domain/effets.types';
import type { SyncTerminee } from '../domain/sync-terminee.types';
import type { SYNC_V2_FIELDS } from '../domain/sync-v2.fields';
import { effetsOf } from './effets';
import { OVERTAKEN, syncLockOf } from './overtaken';
import { countRecords, type Records } from './record-limits';
import { SyncProgress } from './sync-progress';

/** The three lists of a V2 sync, as sent; each record is checked on its own. */
export type SyncV2Request = { [N in keyof typeof SYNC_V2_FIELDS]?: Records | null };

/** `AddCount + UpdateCount + Erreurs.length` is the number of records sent, without those of refused parents. */
export interface SyncV2Counts {
  AddCount: number;
  UpdateCount: number;
  Erreurs: { IdUnique: string; Message: string }[];
}

/** The V2 sync result (docs/contract.md, "V2 result"). */
export type SyncV2Result = Record<
  'Syndicats' | 'Employeurs' | 'Employes' | 'Emplois' | 'Adhesions' | 'ObjetsConsentement',
  SyncV2Counts
>;

export interface SyncV2Options {
  /** Answers what would happen and writes nothing. */
  readonly simulation: boolean;
  /** The task of the sync. The end of a simulated task makes an event, too. */
  readonly tacheId?: string;
  /** Receives the progress of the sync. */
  readonly progress?: SyncProgress;
  /** Done in the sync's transaction once all is written; before what a simulation wrote is undone. */
  readonly conclude?: (synced: Synced<SyncV2Result>) => Promise<void>;
}

/** The V2 sync: unions with employers, employees with all that is nested in them, consent objects; one transaction. */
@Injectable()
export class SyncV2Service {
  constructor(
    private readonly transactions: Transactions,
    private readonly syndicats: SyndicatsSyncService,
    private readonly employes: EmployesSyncService,
    private readonly objetsConsentement: ObjetConsentementBulk,
    private readonly changements: ChangementQuery,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `Requete.TropVolumineuse` for more records than limits allow; nothing is written then */
  async sync(
    tenantId: string,
    actor: Actor,
    request: SyncV2Request,
    options: SyncV2Options,
  ): Promise<Synced<SyncV2Result>> {
    const progress = options.progress ?? new SyncProgress(countOf(request));
    const perform = (): Promise<Synced<SyncV2Result>> => this.perform(tenantId, request, progress);
    return this.transactions.run(
      { tenantId },
      async () => {
        progress.restart();
        await this.transactions.lockByName(syncLockOf(tenantId));
        await this.changements.originate('sync', options.tacheId ?? randomUUID());
        const synced = await (options.simulation ? this.transactions.undone(perform) : perform());
        await options.conclude?.(synced);
        if (!options.simulation || options.tacheId) await this.tell(tenantId, synced, options);
        if (!options.simulation) this.audit.record(tenantId, actor, SYNC_ACTIONS.v2, [tenantId]);
        return synced;
      },
      OVERTAKEN,
    );
  }

  private async tell(
    tenantId: string,
    { resultat, effets }: Synced<SyncV2Result>,
    { simulation, tacheId }: SyncV2Options,
  ): Promise<void> {
    const lists = Object.values(resultat);
    const sum = (count: (list: SyncV2Counts) => number): number =>
      lists.reduce((total, list) => total + count(list), 0);
    const data: SyncTerminee = {
      version: 'V2',
      tacheId: tacheId ?? null,
      etat: 'Reussie',
      simulation,
      crees: sum(({ AddCount }) => AddCount),
      modifies: sum(({ UpdateCount }) => UpdateCount),
      refuses: sum(({ Erreurs }) => Erreurs.length),
      effets,
    };
    await this.outbox.add(tenantId, SYNC_EVENTS.terminee, JSON.stringify(data));
  }

  private async perform(
    tenantId: string,
    request: SyncV2Request,
    progress: SyncProgress,
  ): Promise<Synced<SyncV2Result>> {
    const nested = new NestedLimits();
    const list = (records: Records | null | undefined): Iterable<unknown> => progress.over(records ?? []);
    const done = (records: Records | null | undefined): void => progress.wrote(records?.length ?? 0);

    const { syndicats, employeurs } = await this.syndicats.upsert(tenantId, list(request.Syndicats), nested);
    done(request.Syndicats);
    const { employes, emplois, adhesions } = await this.employes.upsert(
      tenantId,
      list(request.Employes),
      nested,
    );
    done(request.Employes);
    const objets = await this.objetsConsentement.upsertV2(tenantId, list(request.ObjetsConsentement));
    done(request.ObjetsConsentement);
    const resultat = {
      Syndicats: countsOf(syndicats),
      Employeurs: countsOf(employeurs),
      Employes: countsOf(employes),
      Emplois: countsOf(emplois),
      Adhesions: countsOf(adhesions),
      ObjetsConsentement: countsOf(objets),
    };
    const effets = effetsOf([syndicats, employeurs, employes, emplois, adhesions, objets]);
    return { resultat, effets };
  }
}

/** How many records a request holds over its lists. @throws DomainError `Requete.TropVolumineuse` */
export function countOf(request: SyncV2Request): number {
  return countRecords([request.Syndicats, request.Employes, request.ObjetsConsentement]);
}

function countsOf({ created, updated, refusals }: BulkResult): SyncV2Counts {
  return {
    AddCount: created,
    UpdateCount: updated,
    Erreurs: refusals.map((refusal) => ({ IdUnique: refusal.idExterne, Message: messageOf(refusal) })),
  };
}
