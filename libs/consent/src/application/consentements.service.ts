import { CONSENTEMENT_ACTIONS } from '../domain/consent.actions';
import { Injectable } from '@nestjs/common';
import { MemberRepository, GIVEN_TWICE, NAMES_NO } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import { FOREIGN_KEY_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { type InputFault, invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import type {
  ConsentementFilter,
  ConsentementRecord,
  ReponseConsentementRecord,
} from '../domain/consentement.fields';
import { ConsentementQuery } from '../persistence/consentement.query';
import { ConsentementRepository, type Reponses } from '../persistence/consentement.repository';
import { requestNow } from '#platform/limits/request-times';
import { NAMES_NO_OBJET } from '../domain/consent.errors';

/**
 * The history of consents. Partners read it, the platform adds to it, and no operation changes it (docs/contract.md,
 * "Consents").
 */
@Injectable()
export class ConsentementsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly members: MemberRepository,
    private readonly repository: ConsentementRepository,
    private readonly query: ConsentementQuery,
    private readonly audit: AuditTrail,
  ) {}

  list(tenantId: string, filter: ConsentementFilter): FetchPage {
    return this.query.list(tenantId, filter);
  }

  /** Reading it throws `Employe.NotFound` for an unknown employee. */
  listOfEmploye(tenantId: string, idExterneEmploye: string): FetchPage {
    const list = this.query.list(tenantId, {}, idExterneEmploye);
    return this.members.listOfKnown(tenantId, idExterneEmploye, list);
  }

  /**
   * Adds one consent. Returns it as partners read it.
   *
   * @throws DomainError `Requete.Invalide` that names an unknown employee or consent object
   */
  async add(tenantId: string, actor: Actor, record: ConsentementRecord): Promise<Json> {
    const { idExterneEmploye: employe, dateConsentement, ...reponse } = record;
    return this.transactions.run(
      { tenantId },
      async () => {
        const faults: InputFault[] = [];
        if (!(await this.members.hold(tenantId, employe))) {
          faults.push({ pointer: '/idExterneEmploye', code: 'reference', detail: NAMES_NO.employe });
        }
        const known = await this.repository.knownObjets(tenantId, [reponse.objetConsentementIdExterne]);
        if (known.size === 0) faults.push(unknownObjet('/objetConsentementIdExterne'));
        if (faults.length > 0) throw invalidRequest(faults);
        const date = dateConsentement ?? requestNow();
        const [id] = await this.repository.insert(tenantId, {
          employe,
          date,
          reponses: [reponse],
          valeurs: [],
        });
        this.audit.record(tenantId, actor, CONSENTEMENT_ACTIONS.creer, [id!]);
        return (await this.query.one(tenantId, id!))!;
      },
      // The next attempt reports an object that another request deleted meanwhile.
      { retryOn: [FOREIGN_KEY_VIOLATION] },
    );
  }

  /** Returns the identifiers that exist. */
  async knownObjets(tenantId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return ids.length === 0 ? new Set() : this.repository.knownObjets(tenantId, ids);
  }

  /** Returns the validation errors of new answers, by their places in the list at `pointer`. */
  async faultsOf(
    tenantId: string,
    reponses: readonly ReponseConsentementRecord[],
    pointer: string,
  ): Promise<InputFault[]> {
    if (reponses.length === 0) return [];
    const ids = reponses.map(({ objetConsentementIdExterne }) => objetConsentementIdExterne);
    const known = await this.repository.knownObjets(tenantId, ids);
    return ids.flatMap((id, index) => {
      const at = `${pointer}/${index}/objetConsentementIdExterne`;
      if (!known.has(id)) return [unknownObjet(at)];
      return ids.indexOf(id) < index ? [{ pointer: at, code: 'duplicate', detail: GIVEN_TWICE }] : [];
    });
  }

  /** Adds answers to the history, in the ambient transaction, which has locked the employee. */
  async append(tenantId: string, reponses: Reponses): Promise<void> {
    await this.repository.insert(tenantId, reponses);
  }
}

function unknownObjet(pointer: string): InputFault {
  return { pointer, code: 'reference', detail: NAMES_NO_OBJET };
}
