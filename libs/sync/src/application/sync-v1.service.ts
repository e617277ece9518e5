import { Injectable } from '@nestjs/common';
import { ObjetConsentementBulk } from '#consent';
import { MasterDataBulk } from '#membership';
import type { BulkResult } from '#shared/database/bulk-upsert';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION } from '#shared/database/sql-errors';
import { Transactions } from '#shared/database/transactions';
import { RecordCount } from './record-count';

/** The three lists of a V1 sync, as sent; each record is checked on its own. */
export interface SyncV1Request {
  employeurs?: Iterable<unknown> | null;
  objetsConsentement?: Iterable<unknown> | null;
  employes?: Iterable<unknown> | null;
}

/** `created + updated + errors.length` is the number of records sent (decisions, section 6). */
export interface SyncV1Result {
  created: number;
  updated: number;
  errors: { idExterne: string; message: string }[];
}

/** A record of another request that was written or removed between two of our statements: the second try sees it. */
const OVERTAKEN = { retryOn: [UNIQUE_VIOLATION, FOREIGN_KEY_VIOLATION] };

/** The V1 sync: employers, then consent objects, then employees, all in one transaction. */
@Injectable()
export class SyncV1Service {
  constructor(
    private readonly transactions: Transactions,
    private readonly masterData: MasterDataBulk,
    private readonly objetsConsentement: ObjetConsentementBulk,
  ) {}

  /**
   * @param simulation answers what would happen and writes nothing
   * @throws DomainError `Requete.TropVolumineuse` for more than SYNC_RECORDS records; nothing is written then
   */
  async sync(tenantId: string, request: SyncV1Request, simulation: boolean): Promise<SyncV1Result> {
    const perform = (): Promise<SyncV1Result> => this.perform(tenantId, request);
    return this.transactions.run(
      { tenantId },
      () => (simulation ? this.transactions.undone(perform) : perform()),
      OVERTAKEN,
    );
  }

  private async perform(tenantId: string, request: SyncV1Request): Promise<SyncV1Result> {
    await this.transactions.takeTurns(`sync ${tenantId}`);
    const count = new RecordCount();
    const employeurs = await this.masterData.upsertEmployeurs(tenantId, count.over(request.employeurs));
    const objets = await this.objetsConsentement.upsert(tenantId, count.over(request.objetsConsentement));
    const employes = await this.masterData.upsertEmployes(tenantId, count.over(request.employes));
    const results = [employeurs, objets, employes];
    return {
      created: sum(results, (result) => result.created),
      updated: sum(results, (result) => result.updated),
      errors: [
        ...errorsOf(employeurs, 'employeur: '),
        ...errorsOf(objets, 'objet de consentement: '),
        ...errorsOf(employes, ''),
      ],
    };
  }
}

function sum(results: BulkResult[], count: (result: BulkResult) => number): number {
  return results.reduce((total, result) => total + count(result), 0);
}

/** The three lists share one list of errors, so what is not an employee says so. */
function errorsOf(result: BulkResult, kind: string): SyncV1Result['errors'] {
  return result.refusals.map(({ idExterne, message }) => ({ idExterne, message: kind + message }));
}
