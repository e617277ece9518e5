import { Injectable } from '@nestjs/common';
import {
  EMPLOYE,
  FusionRepository,
  MERGED_VALEURS,
  type MergedField,
  type MergedValue,
  PREFERABLE,
} from '#membership';
import type { ActorWithModules } from '#access/caller';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { afterSyncs, MOST_VOTES, TachesService, type VoteTouche } from '#sync';
import { PlacesService } from '#voting';
import { VOTING_PERSONAL_DATA } from '#voting/relations';
import type { FusionRecord } from '../domain/fusion.fields';
import { EMPLOYE_ACTIONS } from '../domain/personne.actions';
import { type MergedRows, PersonalDataRepository } from '../persistence/personal-data.repository';
import { PersonFinder } from './person-finder';
import { fr } from '#platform/errors/text';

const VOTING_SECTIONS = VOTING_PERSONAL_DATA.rows.map(({ section }) => section);

/** The changes of a merge. */
export interface EffetsFusion {
  readonly champs: MergedValue[];
  readonly donnees: MergedRows[];
  readonly votesTouches: VoteTouche[];
}

/** Merges of two records of one person (docs/adr/0055). */
@Injectable()
export class FusionService {
  constructor(
    private readonly transactions: Transactions,
    private readonly taches: TachesService,
    private readonly places: PlacesService,
    private readonly fusions: FusionRepository,
    private readonly finder: PersonFinder,
    private readonly repository: PersonalDataRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Makes one employee of two: `absorbe` gives its rows to `conserve` and is removed. All or nothing.
   *
   * @param fusion the employee that is absorbed, and the properties whose value of it stays
   * @throws DomainError `Employe.NotFound`, `Employe.FusionDeuxVotes`, `Employe.FusionEmploisEnDouble`,
   * `Employe.SyncEnAttente`, `Votant.PoidsIdentifiants`, `Requete.Invalide`
   */
  async merge(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    conserve: string,
    { idExterneAbsorbe: absorbe, prefere }: FusionRecord,
    simulation: boolean,
  ): Promise<EffetsFusion> {
    const preferred = new Set(PREFERABLE.filter((name) => prefere?.[name] === 'absorbe'));
    return afterSyncs(this.transactions, tenantId, async () => {
      if (await this.taches.namesEmploye(tenantId, absorbe)) throw waiting();
      const write = () => this.write(tenantId, { actor, modules }, conserve, absorbe, preferred);
      return simulation ? this.transactions.undone(write) : write();
    });
  }

  private async write(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    idConserve: string,
    idAbsorbe: string,
    prefere: ReadonlySet<MergedField>,
  ): Promise<EffetsFusion> {
    // Rolls before employees, in the order of their writers.
    const seesVotes = modules.includes('vote');
    const places = await this.places.join(tenantId, actor, idConserve, idAbsorbe, seesVotes);
    const held = await this.fusions.hold(tenantId, idConserve, idAbsorbe);
    const { conserve, absorbe } = held;
    await this.finder.join(tenantId, conserve, absorbe, places.sansEmploye);
    const fusion = {
      ...{ tenantId, conserve: idConserve, absorbe: idAbsorbe },
      ...{ conserveId: conserve.idUnique, absorbeId: absorbe.idUnique },
      sansValeur: prefere.has(MERGED_VALEURS) ? idConserve : idAbsorbe,
    };
    const votesTouches = places.rolls
      .filter(({ isActive }) => isActive && seesVotes)
      .map(({ campagneId, titre, votants }) => ({ campagneId, titre, votants: votants.length }))
      .slice(0, MOST_VOTES);
    const effets = await this.fusions.merging(fusion, async () => {
      const champs = await this.fusions.joinValues(tenantId, held, prefere);
      await this.fusions.refuseRepeatedEmplois(tenantId, idConserve, idAbsorbe);
      const merged = await this.repository.merge(fusion, { votant: places.reunis });
      // Which place has stayed says who has voted.
      const donnees = merged.filter(({ section }) => seesVotes || !VOTING_SECTIONS.includes(section));
      return { champs, donnees, votesTouches };
    });
    this.audit.record(tenantId, actor, EMPLOYE_ACTIONS.fusionner, [conserve.idUnique, absorbe.idUnique]);
    return effets;
  }
}

function waiting(): DomainError {
  const detail = {
    en: 'A sync that has not ended names the employee of idExterneAbsorbe, and would create it again. Merge them once it has.',
    fr: fr(
      "Une synchronisation non terminée mentionne l'employé de idExterneAbsorbe, et le créerait de nouveau. Fusionnez-les une fois qu'elle est terminée.",
    ),
  };
  return new DomainError(EMPLOYE.SyncEnAttente, detail);
}
