import { CHAMP_ACTIONS } from '../domain/membership.actions';
import { CHAMP } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import { ChampUtilisateur } from '../domain/champ-utilisateur.entity';
import type { ChampRecord } from '../domain/champ-utilisateur.fields';
import type { ChampDefinition } from '../domain/valeur-champ';
import { ChampUtilisateurQuery } from '../persistence/champ-utilisateur.query';
import { ChampUtilisateurRepository } from '../persistence/champ-utilisateur.repository';

/** Custom fields of a tenant and their choices (docs/contract.md, "Custom fields"). */
@Injectable()
export class ChampsUtilisateurService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: ChampUtilisateurRepository,
    private readonly query: ChampUtilisateurQuery,
    private readonly audit: AuditTrail,
  ) {}

  list(tenantId: string): FetchPage {
    return this.query.pages(tenantId);
  }

  /** All fields of the tenant by their names. */
  definitions(tenantId: string): Promise<ReadonlyMap<string, ChampDefinition>> {
    return this.query.definitions(tenantId);
  }

  /** @throws DomainError `Champ.NotFound` */
  async get(tenantId: string, nom: string): Promise<Json> {
    return (await this.query.one(tenantId, nom)) ?? missing();
  }

  /** @throws DomainError `Champ.NomDejaUtilise`, `Requete.Invalide` where choices and type do not go together */
  async create(tenantId: string, actor: Actor, record: ChampRecord): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const champ = Object.assign(new ChampUtilisateur(), { tenantId, nom: record.nom });
      champ.replaceWith(record);
      const id = await this.repository.insert(champ);
      await this.repository.replaceChoix(champ, record.choix ?? []);
      this.audit.record(tenantId, actor, CHAMP_ACTIONS.creer, [id]);
      return this.get(tenantId, record.nom);
    });
  }

  /**
   * Replaces type, obligation and choices; the name never changes.
   *
   * @throws DomainError `Champ.NotFound`, `Precondition.Echouee`, `Champ.TypeUtilise`, `Champ.ChoixUtilise`,
   *   `Requete.Invalide` where choices and type do not go together
   */
  async replace(tenantId: string, actor: Actor, record: ChampRecord, ifMatch?: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const champ = await this.lock(tenantId, record.nom, ifMatch);
      champ.replaceWith(record);
      await this.repository.update(champ);
      await this.repository.replaceChoix(champ, record.choix ?? []);
      this.audit.record(tenantId, actor, CHAMP_ACTIONS.modifier, [champ.idUnique]);
      return this.get(tenantId, record.nom);
    });
  }

  /** @throws DomainError `Champ.NotFound`, `Precondition.Echouee`, `Champ.Utilise` */
  async delete(tenantId: string, actor: Actor, nom: string, ifMatch?: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      const champ = await this.lock(tenantId, nom, ifMatch);
      await this.repository.delete(champ);
      this.audit.record(tenantId, actor, CHAMP_ACTIONS.supprimer, [champ.idUnique]);
    });
  }

  private async lock(tenantId: string, nom: string, ifMatch: string | undefined): Promise<ChampUtilisateur> {
    const champ = (await this.repository.lock(tenantId, nom)) ?? missing();
    assertIfMatch(ifMatch, await this.get(tenantId, nom));
    return champ;
  }
}

function missing(): never {
  throw new DomainError(CHAMP.NotFound, 'No custom field has this name.');
}
