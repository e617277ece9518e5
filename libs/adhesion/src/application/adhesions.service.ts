import { ADHESION_EVENTS } from '../domain/adhesion.events';
import { ADHESION_ACTIONS } from '../domain/adhesion.actions';
import { ADHESION } from '../domain/adhesion.errors';
import type { AdhesionFilter, AdhesionV1Filter } from '../domain/adhesion.fields';
import { Injectable } from '@nestjs/common';
import { ActiveCampaigns, MemberRepository, noEmploye } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { Outbox } from '#platform/events/outbox';
import { assertDeletable, assertFew } from '../domain/card-deletion.rules';
import { AdhesionRepository, type HeldAdhesion } from '../persistence/adhesion.repository';
import { AdhesionV1Query } from '../persistence/adhesion-v1.query';
import { AdhesionV2Query } from '../persistence/adhesion-v2.query';

/** Signed cards: lists of both versions, and deletion (docs/contract.md, "Signed cards and conciliation"). */
@Injectable()
export class AdhesionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: AdhesionRepository,
    private readonly v1: AdhesionV1Query,
    private readonly v2: AdhesionV2Query,
    private readonly members: MemberRepository,
    private readonly campaigns: ActiveCampaigns,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  listV1(tenantId: string, filter: AdhesionV1Filter): FetchPage {
    return this.v1.list(tenantId, filter);
  }

  /** Reading it throws `Employe.NotFound` for an unknown employee. */
  listV1OfEmploye(tenantId: string, idExterne: string, filter: AdhesionV1Filter): FetchPage {
    const list = this.v1.list(tenantId, { ...filter, idExterne });
    return this.members.listOfKnown(tenantId, idExterne, list);
  }

  listV2(tenantId: string, filter: AdhesionFilter): FetchPage {
    return this.v2.list(tenantId, filter);
  }

  /** Reading it throws `Employe.NotFound` for an unknown employee. */
  listV2OfEmploye(tenantId: string, idExterneEmploye: string, filter: AdhesionFilter): FetchPage {
    // The path and the filter on the same property combine with AND, as all filters do.
    const isNobody = filter.idExterneEmploye != null && filter.idExterneEmploye !== idExterneEmploye;
    const list: FetchPage = isNobody
      ? () => Promise.resolve({ items: [] })
      : this.v2.list(tenantId, { ...filter, idExterneEmploye });
    return this.members.listOfKnown(tenantId, idExterneEmploye, list);
  }

  /**
   * Deletes a card. This cannot be undone.
   *
   * @throws DomainError `Adhesion.NotFound` and those of `assertDeletable`
   */
  async delete(tenantId: string, actor: Actor, id: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      const employe = await this.repository.employeOf(tenantId, id);
      // Lock the employee before the card, as every deletion does, to avoid deadlocks.
      const member = employe === undefined ? undefined : await this.members.hold(tenantId, employe, true);
      const cards = member ? await this.repository.lock(tenantId, id) : [];
      if (cards.length === 0) {
        throw new DomainError(ADHESION.NotFound);
      }
      await this.remove(tenantId, actor, cards);
    });
  }

  /**
   * Deletes all cards of a member, or those of one union, or none of them.
   *
   * @returns the number of deleted cards
   * @throws DomainError `Employe.NotFound` and those of `assertFew` and of `assertDeletable` for any of the cards
   */
  async deleteOfMember(
    tenantId: string,
    actor: Actor,
    employe: string,
    syndicat: string | null | undefined,
  ): Promise<number> {
    return this.transactions.run({ tenantId }, async () => {
      if (!(await this.members.hold(tenantId, employe, true))) throw noEmploye();
      const cards = await this.repository.lockOf(tenantId, employe, syndicat);
      assertFew(cards.length);
      if (cards.length > 0) await this.remove(tenantId, actor, cards);
      return cards.length;
    });
  }

  /** Deletes cards of one employee. The ambient transaction has locked both. */
  private async remove(tenantId: string, actor: Actor, cards: readonly HeldAdhesion[]): Promise<void> {
    const syndicats = [...new Set(cards.map(({ syndicat }) => syndicat))];
    assertDeletable({
      activeCampaign: await this.campaigns.check.hasVoter(tenantId, cards[0]!.employe, syndicats),
      payment: cards.some(({ avecPaiement }) => avecPaiement),
      paymentAuthorization: cards.some(({ avecAutorisation }) => avecAutorisation),
    });
    const ids = cards.map(({ id }) => id);
    await this.repository.delete(tenantId, ids);
    for (const card of cards) {
      const data = {
        idUniqueAdhesion: card.id,
        dateSignature: card.dateSignature.toISOString(),
        syndicatIdExterne: card.syndicat,
        employeIdExterne: card.employe,
        employeIdUnique: card.employeIdUnique,
      };
      await this.outbox.add(tenantId, ADHESION_EVENTS.supprimee, JSON.stringify(data));
    }
    this.audit.record(tenantId, actor, ADHESION_ACTIONS.supprimer, ids);
  }
}
