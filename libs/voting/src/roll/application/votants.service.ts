import { VOTANT_ACTIONS } from '../../domain/voting.actions';
import { VOTANT } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import type { FetchPage } from '#platform/database/json-items';
import { TouchedIds } from '#platform/database/touched-ids';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import type { VotantRecord } from '../domain/votant.fields';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import { type DrawnVotant, type VotantFilter, VotantQuery } from '../persistence/votant.query';
import { noVotant, VotantRepository } from '../persistence/votant.repository';
import { VotantsBulk } from '../persistence/votants.bulk';
import { Roll } from './roll';
import { VotantChecks } from './votant-checks';
import { fr, type Language } from '#platform/errors/text';

/**
 * The roll of a campaign (docs/contract.md, "Voters"). In addition to the errors named below, each operation throws
 * `Campagne.NotFound`, and each write `Campagne.ModificationNonPermise` once the campaign has ended.
 */
@Injectable()
export class VotantsService {
  constructor(
    private readonly campagnes: CampagneRepository,
    private readonly query: VotantQuery,
    private readonly repository: VotantRepository,
    private readonly bulk: VotantsBulk,
    private readonly roll: Roll,
  ) {}

  list(tenantId: string, campagneId: string, filter: VotantFilter): FetchPage {
    return this.campagnes.listOfKnown(tenantId, campagneId, this.query.list(tenantId, campagneId, filter));
  }

  /** Number of voters who have the right to vote. */
  countWithRight(tenantId: string, campagneId: string): Promise<number> {
    return this.query.countWithRight(tenantId, campagneId);
  }

  /** Draws voters who have the right to vote: the same for the same seed and persons. */
  draw(tenantId: string, campagneId: string, graine: string, count: number): Promise<DrawnVotant[]> {
    return this.query.draw(tenantId, campagneId, graine, count);
  }

  /** @throws DomainError `Votant.NotFound` */
  async get(tenantId: string, campagneId: string, id: string): Promise<Json> {
    const item = await this.query.one(tenantId, campagneId, id);
    if (item !== undefined) return item;
    await this.campagnes.assertExists(tenantId, campagneId);
    throw noVotant();
  }

  /**
   * Creates a voter, or changes the one that `VotantId` names. Properties that are not sent stay as they are.
   *
   * @param newId of a new voter; given by the service if absent
   * @throws DomainError `Votant.NotFound`, `Votant.IdentifiantDejaUtilise`, `Votant.EmployeDejaInscrit`, `Votant.AVote`,
   * `Requete.Invalide` that names what is missing or unknown
   */
  async upsert(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    record: VotantRecord,
    newId?: string,
  ): Promise<{ item: Json; isNew: boolean }> {
    const missing = VotantChecks.missing(record);
    if (missing.length > 0) {
      const fault = { code: 'required', detail: { en: 'is required', fr: fr('est obligatoire') } };
      throw invalidRequest(missing.map((name) => ({ pointer: `/${name}`, ...fault })));
    }
    const staged = { n: 0, record, newId };
    const { VotantId } = record;
    return this.roll.write({ tenantId, actor, action: VOTANT_ACTIONS.enregistrer, campagneId }, async () => {
      await this.bulk.lockEmploye(tenantId, record);
      const votant =
        VotantId == null ? null : await this.repository.lockToChange(tenantId, campagneId, VotantId);
      const fault = await this.bulk.refusalOfNames(tenantId, campagneId, staged);
      if (fault?.property)
        throw invalidRequest([{ pointer: `/${fault.property}`, code: 'reference', detail: fault.message }]);
      if (fault) throw new DomainError(fault.error, fault.message);
      votant?.assertMayBecome(record);
      const change = await this.bulk.writeOne(tenantId, campagneId, staged);
      const item = await this.get(tenantId, campagneId, change.ajoutes.lines || VotantId!);
      return { change, result: { item, isNew: change.ajoutes.count > 0 } };
    });
  }

  /**
   * Writes many voters. Reports each record that breaks a rule, and writes all others in one transaction.
   *
   * @param language of the messages of rejected records
   */
  async upsertAll(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    records: Iterable<unknown>,
    language: Language = 'en',
  ) {
    const prepare = async () => {
      const checks = new VotantChecks();
      return { checks, stage: await this.bulk.stage(checks.sound(records)) };
    };
    const work = async ({ checks, stage }: Awaited<ReturnType<typeof prepare>>) => {
      await this.bulk.lockEmployes(tenantId, stage);
      const unnamed = await this.bulk.refuse(tenantId, campagneId, stage);
      const { change, late } = await this.bulk.write(tenantId, campagneId, stage, checks.count - 1);
      const refused = [...unnamed, ...late];
      const result = {
        NombreCrees: change.ajoutes.count,
        NombreModifies: stage.count - refused.length - change.ajoutes.count,
        Erreurs: [
          ...checks.errors,
          ...refused.map(({ n, error, property, message }) => ({
            n,
            code: error.code,
            message: property
              ? { en: `${property} ${message.en}`, fr: fr`${property} ${message.fr}` }
              : message,
          })),
        ]
          .sort((one, other) => one.n - other.n)
          .map(({ n, code, message }) => ({ Index: n, Code: code, Message: message[language] })),
      };
      return { change, result };
    };
    const writer = { tenantId, actor, action: VOTANT_ACTIONS.enregistrer, campagneId };
    return this.roll.write(writer, work, prepare);
  }

  /** @throws DomainError `Votant.NotFound`, `Precondition.Echouee`, `Votant.AVote` */
  async delete(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    id: string,
    ifMatch?: string,
  ): Promise<void> {
    await this.roll.write({ tenantId, actor, action: VOTANT_ACTIONS.supprimer, campagneId }, async () => {
      const votant = await this.repository.lock(tenantId, campagneId, id);
      assertIfMatch(ifMatch, await this.get(tenantId, campagneId, id));
      votant.assertRemovable();
      await this.repository.exclude(votant);
      return { change: { retires: new TouchedIds().add(1, id) }, objetId: id, result: undefined };
    });
  }

  /**
   * Gives voters the right to vote, or takes it: all that there are of them, or none.
   *
   * @returns how many there are, and which of the ids name none
   * @throws DomainError `Votant.AVote`
   */
  async setDroitDeVote(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    ids: readonly string[],
    aDroitDeVote: boolean,
  ): Promise<{ NombreModifies: number; VotantIdsNonTrouves: string[] }> {
    return this.roll.write({ tenantId, actor, action: VOTANT_ACTIONS.droitDeVote, campagneId }, async () => {
      const votants = await this.repository.lockAll(tenantId, campagneId, ids);
      const voted = aDroitDeVote ? 0 : votants.filter((votant) => !votant.mayLoseDroitDeVote).length;
      if (voted > 0) {
        const detail =
          voted === 1
            ? {
                en: '1 of these voters has voted and cannot lose the right; nothing was changed.',
                fr: fr("1 de ces votants a voté et ne peut pas perdre ce droit; rien n'a été modifié."),
              }
            : {
                en: `${voted} of these voters have voted and cannot lose the right; nothing was changed.`,
                fr: fr`${voted} de ces votants ont voté et ne peuvent pas perdre ce droit; rien n'a été modifié.`,
              };
        throw new DomainError(VOTANT.AVote, detail);
      }
      const modifies = await this.repository.setDroitDeVote(tenantId, campagneId, ids, aDroitDeVote);
      const known = new Set(votants.map(({ idUnique }) => idUnique));
      const VotantIdsNonTrouves = [...new Set(ids)].filter((id) => !known.has(id.toLowerCase()));
      const change = { modifies, champs: ['ADroitDeVote'] };
      return { change, result: { NombreModifies: known.size, VotantIdsNonTrouves } };
    });
  }
}
