import { SYNC_ACTIONS } from '../domain/sync.actions';
import { Injectable } from '@nestjs/common';
import { ObjetConsentementBulk } from '#consent';
import { MasterDataBulk } from '#membership';
import type { Actor } from '#platform/audit/actor';
import type { BulkResult } from '#platform/bulk/bulk-upsert';
import { messageOf } from '#platform/input/checked-list';
import type { Synced } from '../domain/effets.types';
import { effetsOf } from './effets';
import { countRecords, type Records } from './record-limits';
import { SyncEngine, type SyncOptions, type SyncVersion } from './sync-engine';

/** The three lists of a V1 sync, as sent; each record is checked on its own. */
export interface SyncV1Request {
  employeurs?: Records | null;
  objetsConsentement?: Records | null;
  employes?: Records | null;
}

/** `created + updated + errors.length` is the number of records sent (docs/contract.md, "V1 sync"). */
export interface SyncV1Result {
  created: number;
  updated: number;
  errors: { idExterne: string; message: string }[];
}

/** The V1 sync: employers, then consent objects, then employees, all in one transaction. */
@Injectable()
export class SyncV1Service implements SyncVersion<SyncV1Request, SyncV1Result> {
  readonly name = 'V1';
  readonly action = SYNC_ACTIONS.v1;

  constructor(
    private readonly engine: SyncEngine,
    private readonly masterData: MasterDataBulk,
    private readonly objetsConsentement: ObjetConsentementBulk,
  ) {}

  /**
   * @throws DomainError `Sync.FreinDeclenche`, and `Requete.TropVolumineuse` for more than SYNC_RECORDS records; nothing is written then
   */
  async sync(
    tenantId: string,
    actor: Actor,
    request: SyncV1Request,
    options: SyncOptions<SyncV1Result>,
  ): Promise<Synced<SyncV1Result>> {
    countRecords([request.employeurs, request.objetsConsentement, request.employes]);
    return this.engine.run(this, tenantId, actor, request, options);
  }

  totalsOf({ created, updated, errors }: SyncV1Result) {
    return { crees: created, modifies: updated, refuses: errors.length };
  }

  async write(tenantId: string, request: SyncV1Request): Promise<Synced<SyncV1Result>> {
    const employeurs = await this.masterData.upsertEmployeurs(tenantId, request.employeurs ?? []);
    const objets = await this.objetsConsentement.upsert(tenantId, request.objetsConsentement ?? []);
    const employes = await this.masterData.upsertEmployes(tenantId, request.employes ?? []);
    const results = [employeurs, objets, employes];
    const resultat = {
      created: sum(results, (result) => result.created),
      updated: sum(results, (result) => result.updated),
      errors: [
        ...errorsOf(employeurs, 'employeur: '),
        ...errorsOf(objets, 'objet de consentement: '),
        ...errorsOf(employes, ''),
      ],
    };
    return { resultat, effets: effetsOf(results) };
  }
}

function sum(results: BulkResult[], count: (result: BulkResult) => number): number {
  return results.reduce((total, result) => total + count(result), 0);
}

/** The three lists share one list of errors: a message names the kind of a record that is no employee, or its place. */
function errorsOf(result: BulkResult, kind: string): SyncV1Result['errors'] {
  return result.refusals.map((refusal) => ({
    idExterne: refusal.idExterne,
    message: messageOf(refusal, kind),
  }));
}
