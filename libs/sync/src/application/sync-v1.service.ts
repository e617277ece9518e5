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
import { SyncEngine, type SyncOptions, type SyncVersion, type WriteOptions } from './sync-engine';
import { fr, type Language, type Text } from '#platform/errors/text';

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

  async write(
    tenantId: string,
    request: SyncV1Request,
    { language }: WriteOptions,
  ): Promise<Synced<SyncV1Result>> {
    const employeurs = await this.masterData.upsertEmployeurs(tenantId, request.employeurs ?? []);
    const objets = await this.objetsConsentement.upsert(tenantId, request.objetsConsentement ?? []);
    const employes = await this.masterData.upsertEmployes(tenantId, request.employes ?? []);
    const results = [employeurs, objets, employes];
    const resultat = {
      created: sum(results, (result) => result.created),
      updated: sum(results, (result) => result.updated),
      errors: [
        ...errorsOf(employeurs, language, OF_EMPLOYEUR),
        ...errorsOf(objets, language, OF_OBJET),
        ...errorsOf(employes, language),
      ],
    };
    return { resultat, effets: effetsOf(results) };
  }
}

function sum(results: BulkResult[], count: (result: BulkResult) => number): number {
  return results.reduce((total, result) => total + count(result), 0);
}

const OF_EMPLOYEUR: Text = { en: 'employeur: ', fr: fr('employeur : ') };
const OF_OBJET: Text = { en: 'objet de consentement: ', fr: fr('objet de consentement : ') };

/** The three lists share one list of errors: a message names the kind of a record that is no employee, or its place. */
function errorsOf(result: BulkResult, language: Language, kind?: Text): SyncV1Result['errors'] {
  return result.refusals.map((refusal) => ({
    idExterne: refusal.idExterne,
    message: messageOf(refusal, language, kind),
  }));
}
