import { FORMULAIRE_ACTIONS } from '../domain/adhesion.actions';
import { FORMULAIRE } from '../domain/adhesion.errors';
import { Injectable } from '@nestjs/common';
import { ConsentementsService, NAMES_NO_OBJET } from '#consent';
import { ChampsUtilisateurService, MemberRepository, NAMES_NO } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import { FOREIGN_KEY_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError, type InputFault, invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import type { Written } from '../domain/as-signed';
import type { FormulaireRecord } from '../domain/formulaire.fields';
import { FormulaireRepository } from '../persistence/formulaire.repository';
import type { Text } from '#platform/errors/text';

/** Forms that members fill to sign (docs/contract.md, "Forms"). */
@Injectable()
export class FormulairesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: FormulaireRepository,
    private readonly members: MemberRepository,
    private readonly champs: ChampsUtilisateurService,
    private readonly consentements: ConsentementsService,
    private readonly audit: AuditTrail,
  ) {}

  list(tenantId: string): FetchPage {
    return this.repository.list(tenantId);
  }

  /** @throws DomainError `Formulaire.NotFound` */
  async get(tenantId: string, id: string): Promise<Json> {
    return (await this.repository.one(tenantId, id)) ?? missing();
  }

  /**
   * @param id the service chooses one if absent
   * @throws DomainError `Requete.Invalide` that names each unknown union, field and consent object
   */
  async create(tenantId: string, actor: Actor, record: FormulaireRecord, id?: string): Promise<Written> {
    return this.write(tenantId, record, async () => {
      const made = await this.repository.insert(tenantId, record, id);
      this.audit.record(tenantId, actor, FORMULAIRE_ACTIONS.creer, [made]);
      return { id: made, item: await this.get(tenantId, made) };
    });
  }

  /**
   * Replaces every writable property.
   *
   * @throws DomainError `Formulaire.NotFound`, `Precondition.Echouee`, `Requete.Invalide` as above
   */
  async replace(
    tenantId: string,
    actor: Actor,
    id: string,
    record: FormulaireRecord,
    ifMatch?: string,
  ): Promise<Json> {
    return this.write(tenantId, record, async () => {
      await this.lock(tenantId, id, ifMatch);
      await this.repository.update(tenantId, id, record);
      this.audit.record(tenantId, actor, FORMULAIRE_ACTIONS.modifier, [id]);
      return this.get(tenantId, id);
    });
  }

  /** @throws DomainError `Formulaire.NotFound`, `Precondition.Echouee`, `Formulaire.Utilise` */
  async delete(tenantId: string, actor: Actor, id: string, ifMatch?: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      await this.lock(tenantId, id, ifMatch);
      await this.repository.delete(tenantId, id);
      this.audit.record(tenantId, actor, FORMULAIRE_ACTIONS.supprimer, [id]);
    });
  }

  private async lock(tenantId: string, id: string, ifMatch: string | undefined): Promise<void> {
    if (!(await this.repository.lock(tenantId, id))) missing();
    assertIfMatch(ifMatch, await this.get(tenantId, id));
  }

  private write<T>(tenantId: string, record: FormulaireRecord, work: () => Promise<T>): Promise<T> {
    return this.transactions.run(
      { tenantId },
      async () => {
        const faults = await this.faultsOf(tenantId, record);
        if (faults.length > 0) throw invalidRequest(faults);
        return work();
      },
      // If records were deleted meanwhile, the next attempt reports them as missing.
      { retryOn: [FOREIGN_KEY_VIOLATION] },
    );
  }

  private async faultsOf(tenantId: string, record: FormulaireRecord): Promise<InputFault[]> {
    const champs = await this.champs.definitions(tenantId, record.champs ?? [], []);
    const objets = await this.consentements.knownObjets(tenantId, record.objetsConsentement ?? []);
    const unknown = (known: boolean, pointer: string, detail: Text): InputFault[] =>
      known ? [] : [{ pointer, code: 'reference', detail }];
    return [
      ...unknown(
        await this.members.knowsSyndicat(tenantId, record.syndicatIdExterne),
        '/syndicatIdExterne',
        NAMES_NO.syndicat,
      ),
      ...(record.champs ?? []).flatMap((nom, index) =>
        unknown(champs.has(nom), `/champs/${index}`, NAMES_NO.champ),
      ),
      ...(record.objetsConsentement ?? []).flatMap((id, index) =>
        unknown(objets.has(id), `/objetsConsentement/${index}`, NAMES_NO_OBJET),
      ),
    ];
  }
}

function missing(): never {
  throw new DomainError(FORMULAIRE.NotFound);
}
