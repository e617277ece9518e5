import { SYNC_ACTIONS } from '../domain/sync.actions';
import { Injectable } from '@nestjs/common';
import { ObjetConsentementBulk } from '#consent';
import { EmployesSyncService, SyndicatsSyncService } from '#membership';
import type { Actor } from '#platform/audit/actor';
import type { BulkResult } from '#platform/bulk/bulk-upsert';
import { messageOf } from '#platform/input/checked-list';
import { NestedLimits } from '#platform/limits/nested-limits';
import type { Synced } from '../domain/effets.types';
import type { SYNC_V2_FIELDS } from '../domain/sync-v2.fields';
import { effetsOf } from './effets';
import { countRecords, type Records } from './record-limits';
import { SyncEngine, type SyncOptions, type SyncVersion, type WriteOptions } from './sync-engine';
import { SyncProgress } from './sync-progress';
import type { Language } from '#platform/errors/text';

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

/** The V2 sync: unions with employers, employees with all that is nested in them, consent objects; one transaction. */
@Injectable()
export class SyncV2Service implements SyncVersion<SyncV2Request, SyncV2Result> {
  readonly name = 'V2';
  readonly action = SYNC_ACTIONS.v2;

  constructor(
    private readonly engine: SyncEngine,
    private readonly syndicats: SyndicatsSyncService,
    private readonly employes: EmployesSyncService,
    private readonly objetsConsentement: ObjetConsentementBulk,
  ) {}

  /**
   * @throws DomainError `Sync.FreinDeclenche`, and `Requete.TropVolumineuse` for more records than limits allow; nothing is
   * written then
   */
  async sync(
    tenantId: string,
    actor: Actor,
    request: SyncV2Request,
    options: SyncOptions<SyncV2Result>,
  ): Promise<Synced<SyncV2Result>> {
    const progress = options.progress ?? new SyncProgress(countOf(request));
    return this.engine.run(this, tenantId, actor, request, { ...options, progress });
  }

  totalsOf(resultat: SyncV2Result) {
    const lists = Object.values(resultat);
    const sum = (count: (list: SyncV2Counts) => number): number =>
      lists.reduce((total, list) => total + count(list), 0);
    return {
      crees: sum(({ AddCount }) => AddCount),
      modifies: sum(({ UpdateCount }) => UpdateCount),
      refuses: sum(({ Erreurs }) => Erreurs.length),
    };
  }

  async write(
    tenantId: string,
    request: SyncV2Request,
    { progress, keepOmitted, language }: WriteOptions,
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
      keepOmitted,
    );
    done(request.Employes);
    const objets = await this.objetsConsentement.upsertV2(tenantId, list(request.ObjetsConsentement));
    done(request.ObjetsConsentement);
    const resultat = {
      Syndicats: countsOf(syndicats, language),
      Employeurs: countsOf(employeurs, language),
      Employes: countsOf(employes, language),
      Emplois: countsOf(emplois, language),
      Adhesions: countsOf(adhesions, language),
      ObjetsConsentement: countsOf(objets, language),
    };
    const effets = effetsOf([syndicats, employeurs, employes, emplois, adhesions, objets]);
    return { resultat, effets };
  }
}

/** How many records a request holds over its lists. @throws DomainError `Requete.TropVolumineuse` */
export function countOf(request: SyncV2Request): number {
  return countRecords([request.Syndicats, request.Employes, request.ObjetsConsentement]);
}

function countsOf({ created, updated, refusals }: BulkResult, language: Language): SyncV2Counts {
  return {
    AddCount: created,
    UpdateCount: updated,
    Erreurs: refusals.map((refusal) => ({
      IdUnique: refusal.idExterne,
      Message: messageOf(refusal, language),
    })),
  };
}
