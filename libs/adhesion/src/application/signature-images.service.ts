import { SIGNATURE_ACTIONS } from '../domain/adhesion.actions';
import { ADHESION, SIGNATURE } from '../domain/adhesion.errors';
import { Injectable } from '@nestjs/common';
import { IdentifiantRepository, MemberRepository } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { isGuid } from '#platform/input/faults';
import { type SignedImage, SignatureRepository } from '../persistence/signature.repository';
import { fr, type Text } from '#platform/errors/text';

const NONE_OF_CARD: Text = {
  en: 'The card has no handwritten signature.',
  fr: fr("L'adhésion n'a pas de signature manuscrite."),
};
const NONE_OF_EMPLOYE: Text = {
  en: 'No card of the employee has a handwritten signature.',
  fr: fr("Aucune adhésion de l'employé n'a de signature manuscrite."),
};

/** Images of handwritten signatures; each reading is in the audit trail (docs/contract.md, "Signature images"). */
@Injectable()
export class SignatureImagesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: SignatureRepository,
    private readonly members: MemberRepository,
    private readonly identifiants: IdentifiantRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Returns the signature of the card of this GUID, without `idExterne`. If there is no such card, returns the most recent
   * signature of the employee of this external identifier, with `idExterne` (docs/contract.md, "Signature images").
   *
   * @throws DomainError `Signature.NotFound`; where `x` names neither, `Adhesion.NotFound` for a GUID and
   *   `Employe.NotFound` for any other text
   */
  async read(tenantId: string, actor: Actor, x: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const card = isGuid(x) ? await this.repository.ofAdhesion(tenantId, x) : undefined;
      if (card) return this.show(tenantId, actor, card);
      const isEmploye = async () =>
        (await this.members.exists(tenantId, x)) ||
        !!(await this.identifiants.holder(tenantId, x))?.idExterne;
      if (isGuid(x) && !(await isEmploye())) {
        throw new DomainError(ADHESION.NotFound, {
          en: 'No signed card or employee has this identifier.',
          fr: fr("Aucune adhésion signée ni aucun employé n'a cet identifiant."),
        });
      }
      return this.readLatest(tenantId, actor, x);
    });
  }

  /**
   * Returns the most recent signature of an employee, and skips cards without one.
   *
   * @throws DomainError `Employe.NotFound`, `Signature.NotFound`
   */
  async readLatest(tenantId: string, actor: Actor, idExterne: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      await this.members.assertExists(tenantId, idExterne);
      return this.show(tenantId, actor, await this.repository.latestOf(tenantId, idExterne), { idExterne });
    });
  }

  private async show(
    tenantId: string,
    actor: Actor,
    card: SignedImage | undefined,
    who: { idExterne?: string } = {},
  ): Promise<Json> {
    if (!card?.png) {
      throw new DomainError(SIGNATURE.NotFound, who.idExterne === undefined ? NONE_OF_CARD : NONE_OF_EMPLOYE);
    }
    this.audit.record(tenantId, actor, SIGNATURE_ACTIONS.lire, [card.adhesionId]);
    return JSON.stringify({
      ...who,
      idUniqueAdhesion: card.adhesionId,
      dateSignature: card.dateSignature,
      imageSignature: `data:image/png;base64,${card.png.toString('base64')}`,
    });
  }
}
