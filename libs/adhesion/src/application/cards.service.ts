import { ADHESION_EVENTS } from '../domain/adhesion.events';
import { Injectable } from '@nestjs/common';
import { ConsentementsService, type ReponseConsentementRecord } from '#consent';
import { type Member, MemberRepository, type ValeurV1 } from '#membership';
import { Outbox } from '#platform/events/outbox';
import type { AsSigned, Written } from '../domain/as-signed';
import { AdhesionRepository } from '../persistence/adhesion.repository';
import { AdhesionV2Query } from '../persistence/adhesion-v2.query';

/** Data of a signing that is stored beside the card. */
export interface SignedAlong {
  readonly reponses: readonly ReponseConsentementRecord[];
  /** Custom values of the card in V1's flat shape, which the consents show. */
  readonly valeursV1: readonly ValeurV1[];
  /** The card's id; given by the service if absent. */
  readonly id?: string | undefined;
}

/** The one place where a signed card is made, directly or by a conciliation. */
@Injectable()
export class CardsService {
  constructor(
    private readonly adhesions: AdhesionRepository,
    private readonly query: AdhesionV2Query,
    private readonly members: MemberRepository,
    private readonly consentements: ConsentementsService,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Makes the card of an employee whom the ambient transaction holds, with the membership if it is missing, the consents
   * and the event `adhesion.signee`. Where the member number was not signed, the card is found by the employee's.
   * Returns the card as V2 shows it.
   */
  async make(tenantId: string, member: Member, signed: AsSigned, along: SignedAlong): Promise<Written> {
    const { syndicatIdExterne, dateSignature } = signed;
    const noMembre = signed.noMembre ?? member.noMembre;
    const id = await this.adhesions.insert(tenantId, member, { ...signed, noMembre }, along.id);
    await this.members.ensureMembership(tenantId, member.idExterne, syndicatIdExterne, dateSignature);
    await this.consentements.append(tenantId, {
      employe: member.idExterne,
      date: dateSignature,
      reponses: along.reponses,
      valeurs: along.valeursV1,
    });
    const item = (await this.query.one(tenantId, id))!;
    await this.outbox.add(tenantId, ADHESION_EVENTS.signee, item);
    return { id, item };
  }
}
