import { CONCILIATION_ACTIONS } from '../domain/adhesion.actions';
import { CONCILIATION } from '../domain/adhesion.errors';
import { Injectable } from '@nestjs/common';
import { PERSONNE_FIELDS, MemberRepository, type ValeurV1, type ValeurV2 } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import { FOREIGN_KEY_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { namesOf } from '#platform/input/field';
import { requestNow } from '#platform/limits/request-times';
import type { Contact } from '../domain/as-signed';
import type { StatutDemande } from '../domain/conciliation.fields';
import type { DemandeAdhesion } from '../domain/demande-adhesion.entity';
import { DemandeAdhesionRepository } from '../persistence/demande-adhesion.repository';
import { SignatureRepository } from '../persistence/signature.repository';
import { CardsService } from './cards.service';

/** Contact data that replaces the signed data. An absent field stays as signed; null clears it. */
export type ContactOverrides = { readonly [K in keyof Contact]?: Contact[K] | undefined };

/** The employee that the partner names. */
export interface ConfirmedAs {
  /** Identifier of the employee; the next free one of the form `M-000001` if absent. */
  readonly idExterne?: string | null | undefined;
  readonly overrides: ContactOverrides;
}

/** The employee and the card of a confirmed request. */
export interface Confirmation {
  readonly idExterne: string;
  readonly adhesionId: string;
}

/**
 * Decisions about membership requests (docs/contract.md, "Conciliation"): each is made once, even if it is sent again.
 */
@Injectable()
export class ConciliationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: DemandeAdhesionRepository,
    private readonly signatures: SignatureRepository,
    private readonly members: MemberRepository,
    private readonly cards: CardsService,
    private readonly audit: AuditTrail,
  ) {}

  list(tenantId: string, statut: StatutDemande): FetchPage {
    return this.repository.list(tenantId, statut);
  }

  /** @throws DomainError `Conciliation.NotFound` */
  async get(tenantId: string, id: string): Promise<Json> {
    return (await this.repository.one(tenantId, id)) ?? missing();
  }

  /**
   * Creates the employee, or matches the one of this identifier without changing it, and then creates the card with its
   * event. A repeated confirmation returns the same result.
   *
   * @throws DomainError `Conciliation.NotFound`, `Conciliation.DejaTraitee`
   */
  async confirm(tenantId: string, actor: Actor, id: string, as: ConfirmedAs): Promise<Confirmation> {
    return this.transactions.run(
      { tenantId },
      async () => {
        const demande = (await this.repository.lock(tenantId, id)) ?? missing();
        if (demande.awaits('Confirmee')) {
          await this.makeCard(demande, as);
          this.audit.record(tenantId, actor, CONCILIATION_ACTIONS.confirmer, [id]);
        }
        return { idExterne: demande.idExterneEmploye!, adhesionId: demande.adhesionId! };
      },
      // If the employee was deleted meanwhile, the next attempt creates it.
      { retryOn: [FOREIGN_KEY_VIOLATION] },
    );
  }

  private async makeCard(demande: DemandeAdhesion, { idExterne, overrides }: ConfirmedAs): Promise<void> {
    const { tenantId, idUnique } = demande;
    const signed = { ...contactOf(demande), ...given(overrides) };
    const valeurs = demande.valeursChamp as ValeurV2[];
    const member = await this.members.findOrMake(tenantId, idExterne ?? undefined, signed, valeurs);
    const card = await this.cards.make(
      tenantId,
      member,
      { ...demande, ...signed },
      {
        reponses: await this.repository.reponses(tenantId, idUnique),
        valeursV1: demande.valeursChampV1 as ValeurV1[],
      },
    );
    await this.signatures.move(tenantId, idUnique, card.id);
    demande.confirm(member.idExterne, card.id, requestNow());
    await this.repository.decide(demande);
  }

  /**
   * Ends the request without a card and deletes the handwritten signature. A repeated rejection returns the rejected
   * request.
   *
   * @throws DomainError `Conciliation.NotFound`, `Conciliation.DejaTraitee`
   */
  async reject(tenantId: string, actor: Actor, id: string, raison: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const demande = (await this.repository.lock(tenantId, id)) ?? missing();
      if (demande.awaits('Rejetee')) {
        demande.reject(raison, requestNow());
        await this.repository.decide(demande);
        await this.signatures.deleteOfDemande(tenantId, id);
        this.audit.record(tenantId, actor, CONCILIATION_ACTIONS.rejeter, [id]);
      }
      return this.get(tenantId, id);
    });
  }
}

function contactOf(demande: DemandeAdhesion): Contact {
  return Object.fromEntries(
    namesOf(PERSONNE_FIELDS).map((name) => [name, demande[name]]),
  ) as unknown as Contact;
}

/** Removes absent overrides, because they must not replace signed data. */
function given(overrides: ContactOverrides): Partial<Contact> {
  return Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
}

function missing(): never {
  throw new DomainError(CONCILIATION.NotFound);
}
