import { CAMPAGNE_ACTIONS, URNE_ACTIONS } from '../../domain/voting.actions';
import { CAMPAGNE, URNE } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import { ClientsService } from '#clients';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { CampagneRepository, noCampagne } from '../../campagne/persistence/campagne.repository';
import { SealingRepository } from '../persistence/sealing.repository';
import { CampagnesService } from '../../campagne/application/campagnes.service';
import { EngagementsService } from './engagements.service';
import { fr } from '#platform/errors/text';

/** A campaign, as an administrator names it. */
export interface CampagneOfClient {
  readonly clientId: string;
  readonly environnement: Environment;
  readonly id: string;
}

/** Operations of administrators on one campaign (docs/adr/0026). */
@Injectable()
export class CampagnesAdministrationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clients: ClientsService,
    private readonly campagnes: CampagnesService,
    private readonly repository: CampagneRepository,
    private readonly sealing: SealingRepository,
    private readonly engagements: EngagementsService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Sets the threshold of anonymity of a draft, in place of its client's.
   *
   * @returns the campaign after it
   * @throws DomainError `Client.NotFound`, `Campagne.NotFound`, `Campagne.ModificationNonPermise` unless in Brouillon
   */
  async setSeuilAnonymat(
    actor: Actor,
    { clientId, environnement, id }: CampagneOfClient,
    seuil: number,
    raison: string,
  ): Promise<Json> {
    const tenantId = await this.tenantOf(clientId, environnement);
    return this.transactions.run({ tenantId }, async () => {
      const { campagne, at } = await this.repository.lock(tenantId, id, 'exclusive');
      if (!(await this.repository.setSeuilAnonymat(id, seuil, raison))) {
        const etat = campagne.etat(at);
        const detail = {
          en: `The campaign is in state ${etat}: its threshold is set in Brouillon only.`,
          fr: fr`La campagne est à l'état ${etat} : son seuil se règle à l'état Brouillon seulement.`,
        };
        throw new DomainError(CAMPAGNE.ModificationNonPermise, detail);
      }
      await this.repository.touch(tenantId, id);
      this.audit.record(tenantId, actor, CAMPAGNE_ACTIONS.seuilAnonymat, [id]);
      return this.campagnes.get(tenantId, id);
    });
  }

  /**
   * Seals a ballot box in which ballots, receipts and voters do not agree, for good and without a result: `resultatsVisibles`
   * stays false, and the campaign shows why.
   *
   * @returns the campaign after it
   * @throws DomainError `Client.NotFound`, `Campagne.NotFound`, `Urne.NonConstatable` unless the sealing found an anomaly
   */
  async sealWithoutResult(
    actor: Actor,
    { clientId, environnement, id }: CampagneOfClient,
    raison: string,
  ): Promise<Json> {
    const tenantId = await this.tenantOf(clientId, environnement);
    return this.transactions.run({ tenantId }, async () => {
      await this.repository.assertExists(tenantId, id);
      const known = await this.sealing.begin(tenantId, id);
      // The log of receipts may have been corrected since then.
      if (known?.length) await this.engagements.intact(tenantId, id);
      if (!known?.length || !(await this.sealing.sealWithoutResult(id, raison))) {
        const detail = {
          en: 'The sealing found no anomaly in this ballot box: it is open, about to be sealed, or sealed.',
          fr: fr(
            "Le scellement n'a constaté aucune anomalie dans cette urne : elle est ouverte, sur le point d'être scellée, ou scellée.",
          ),
        };
        throw new DomainError(URNE.NonConstatable, detail);
      }
      this.audit.record(tenantId, actor, URNE_ACTIONS.constater, [id]);
      return this.campagnes.get(tenantId, id);
    });
  }

  private async tenantOf(clientId: string, environnement: Environment): Promise<string> {
    const tenantId = await this.clients.tenantIn(clientId, environnement);
    if (!tenantId) throw noCampagne();
    return tenantId;
  }
}
