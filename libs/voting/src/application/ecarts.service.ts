import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import type { FetchPage } from '#platform/database/json-items';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import type { ApplicationRecord, Nature } from '../domain/ecart.fields';
import { LISTE_ELECTORALE_ACTIONS } from '../domain/voting.actions';
import { LISTE_ELECTORALE } from '../domain/voting.errors';
import { CampagneRepository } from '../persistence/campagne.repository';
import { EcartsRepository } from '../persistence/ecarts.repository';
import { Roll } from './roll';

/** Differences between a roll and the master data (docs/contract.md, "The roll and the master data"). */
@Injectable()
export class EcartsService {
  constructor(
    private readonly campagnes: CampagneRepository,
    private readonly repository: EcartsRepository,
    private readonly roll: Roll,
  ) {}

  /**
   * Returns the differences, and their digest once the first are there. Reading throws `Campagne.NotFound`, and breaks off if the
   * differences change halfway.
   */
  list(
    tenantId: string,
    campagneId: string,
    nature: Nature | null | undefined,
  ): { fetch: FetchPage; empreinte: () => string | undefined } {
    let empreinte: string | undefined;
    const fetch: FetchPage = async (after) => {
      const part = await this.repository.part(tenantId, campagneId, nature, after);
      empreinte ??= part.empreinte;
      if (part.empreinte !== empreinte) throw outdated();
      return part;
    };
    return {
      fetch: this.campagnes.listOfKnown(tenantId, campagneId, fetch),
      empreinte: () => empreinte,
    };
  }

  /**
   * Applies the differences of some kinds, if they are still those that were read. Voters written manually are not removed,
   * and voters who have voted stay as they are.
   *
   * @throws DomainError `Campagne.NotFound`, `Campagne.ModificationNonPermise`, `ListeElectorale.EcartsPerimes`,
   * `Requete.Invalide` without any kind
   */
  async apply(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    { empreinte, natures }: ApplicationRecord,
  ): Promise<{ nombreAjoutes: number; nombreRetires: number; nombreModifies: number }> {
    if (!natures?.length)
      throw invalidRequest([{ pointer: '/natures', code: 'required', detail: 'name at least one kind' }]);
    const writer = { tenantId, actor, action: LISTE_ELECTORALE_ACTIONS.appliquer, campagneId };
    return this.roll.write(writer, async () => {
      const change = await this.repository.apply(tenantId, campagneId, empreinte, natures);
      if (!change) throw outdated();
      const { ajoutes, retires, modifies } = change;
      const result = {
        nombreAjoutes: ajoutes.count,
        nombreRetires: retires.count,
        nombreModifies: modifies.count,
      };
      return { change, result };
    });
  }
}

function outdated(): DomainError {
  return new DomainError(
    LISTE_ELECTORALE.EcartsPerimes,
    'The roll or the master data have changed since the differences were read. Nothing was written. Read them again.',
  );
}
