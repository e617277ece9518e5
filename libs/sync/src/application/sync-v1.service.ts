import { SYNC_EVENTS } from '../domain/sync.events';
import { SYNC_ACTIONS } from '../domain/sync.actions';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ObjetConsentementBulk } from '#consent';
import { ChangementQuery, MasterDataBulk } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { BulkResult } from '#platform/bulk/bulk-upsert';
import { Transactions } from '#platform/database/transactions';
import { Outbox } from '#platform/events/outbox';
import { messageOf } from '#platform/input/checked-list';
import type { Synced } from '../domain/effets.types';
import type { SyncTerminee } from '../domain/sync-terminee.types';
import { effetsOf } from './effets';
import { OVERTAKEN, syncLockOf } from './overtaken';
import { countRecords, type Records } from './record-limits';

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
export class SyncV1Service {
  constructor(
    private readonly transactions: Transactions,
    private readonly masterData: MasterDataBulk,
    private readonly objetsConsentement: ObjetConsentementBulk,
    private readonly changements: ChangementQuery,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @param simulation answers what would happen and writes nothing
   * @throws DomainError `Requete.TropVolumineuse` for more than SYNC_RECORDS records; nothing is written then
   */
  async sync(
    tenantId: string,
    actor: Actor,
    request: SyncV1Request,
    simulation: boolean,
  ): Promise<Synced<SyncV1Result>> {
    countRecords([request.employeurs, request.objetsConsentement, request.employes]);
    const perform = (): Promise<Synced<SyncV1Result>> => this.perform(tenantId, request);
    return this.transactions.run(
      { tenantId },
      async () => {
        if (simulation) return this.transactions.undone(perform);
        const synced = await perform();
        await this.tell(tenantId, synced);
        this.audit.record(tenantId, actor, SYNC_ACTIONS.v1, [tenantId]);
        return synced;
      },
      OVERTAKEN,
    );
  }

  private async tell(tenantId: string, { resultat, effets }: Synced<SyncV1Result>): Promise<void> {
    const { created, updated, errors } = resultat;
    const data: SyncTerminee = {
      version: 'V1',
      tacheId: null,
      etat: 'Reussie',
      simulation: false,
      crees: created,
      modifies: updated,
      refuses: errors.length,
      effets,
    };
    await this.outbox.add(tenantId, SYNC_EVENTS.terminee, JSON.stringify(data));
  }

  private async perform(tenantId: string, request: SyncV1Request): Promise<Synced<SyncV1Result>> {
    await this.transactions.lockByName(syncLockOf(tenantId));
    await this.changements.originate('sync', randomUUID());
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
