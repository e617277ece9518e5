import { Injectable } from '@nestjs/common';
import { EMPLOYE } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { TouchedIds } from '#platform/database/touched-ids';
import { DomainError, type InputFault, refusalOf } from '#platform/errors/domain-error';
import { SERVICE } from '#platform/errors/platform.errors';
import { VOTANT_ACTIONS } from '../../domain/voting.actions';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import type { Votant } from '../domain/votant.entity';
import { type RollOf, VotantRepository } from '../persistence/votant.repository';
import { VoterErasureRepository } from '../persistence/voter-erasure.repository';
import { Roll } from './roll';
import { fr } from '#platform/errors/text';

/** Places that employees have on rolls, in the ambient transaction. */
@Injectable()
export class PlacesService {
  constructor(
    private readonly campagnes: CampagneRepository,
    private readonly votants: VotantRepository,
    private readonly erasures: VoterErasureRepository,
    private readonly roll: Roll,
  ) {}

  /**
   * Leaves one place to two employees who become one, on each roll that has both: the one that has voted, else that of
   * `conserve`. Until a campaign has ended its roll loses the other place. After that the roll stays as it was counted, and
   * the other place has no employee.
   *
   * @param seesVotes errors may name campaigns
   * @returns the number of such rolls, the rolls that have one or both, and the voters that have no employee now
   * @throws DomainError `Employe.FusionDeuxVotes`, `Votant.PoidsIdentifiants`, `Service.Indisponible` during a sealing
   */
  async join(
    tenantId: string,
    actor: Actor,
    conserve: string,
    absorbe: string,
    seesVotes: boolean,
  ): Promise<{ reunis: number; rolls: RollOf[]; sansEmploye: string[] }> {
    const employes = [conserve, absorbe];
    const areBoth = ({ votants }: RollOf): boolean => votants.length === 2;
    for (const { campagneId } of (await this.votants.rollsOf(tenantId, employes, false)).filter(areBoth))
      await this.campagnes.lockRoll(tenantId, campagneId);
    const rolls = await this.votants.rollsOf(tenantId, employes, true);
    const places = rolls.flatMap(({ votants }) => votants);
    if (!(await this.erasures.keepFromSealing(tenantId, places))) throw sealing();
    const faults: InputFault[] = [];
    const sansEmploye: string[] = [];
    let reunis = 0;
    for (const { campagneId, votants } of rolls.filter(areBoth)) {
      await this.campagnes.lockRoll(tenantId, campagneId);
      // Against votes, too.
      const both: Votant[] = [];
      for (const id of votants.toSorted()) {
        const votant = await this.votants.lockToChange(tenantId, campagneId, id);
        if (votant && employes.includes(votant.employeIdExterne ?? '')) both.push(votant);
      }
      // A request has changed the roll since.
      if (both.length < 2) continue;
      const { campagne, at } = await this.campagnes.lock(tenantId, campagneId, 'roll');
      if (both.every(({ aVote }) => aVote)) {
        faults.push(twoVotes(seesVotes ? campagne.titre : undefined));
        continue;
      }
      const other = both.find(({ aVote, employeIdExterne }) =>
        both.some((one) => one.aVote) ? !aVote : employeIdExterne === absorbe,
      )!;
      reunis++;
      if (campagne.hasOpenRoll(at))
        await this.roll.write({ tenantId, actor, action: VOTANT_ACTIONS.supprimer, campagneId }, async () => {
          await this.votants.remove(other);
          const retires = new TouchedIds().add(1, other.idUnique);
          return { change: { retires }, objetId: other.idUnique, result: undefined };
        });
      else {
        await this.votants.detach(other);
        sansEmploye.push(other.idUnique);
      }
    }
    if (faults.length > 0) throw refusalOf(EMPLOYE.FusionDeuxVotes, faults);
    return { reunis, rolls, sansEmploye };
  }
}

/** @param titre of the campaign, for a key that may read campaigns */
function twoVotes(titre: string | undefined): InputFault {
  const detail =
    titre === undefined
      ? {
          en: 'both employees have voted in a campaign: they have to stay two',
          fr: fr('les deux employés ont voté dans une campagne : ils doivent rester deux'),
        }
      : {
          en: `both employees have voted in ${JSON.stringify(titre)}: they have to stay two`,
          fr: fr`les deux employés ont voté dans ${JSON.stringify(titre)} : ils doivent rester deux`,
        };
  return { pointer: '/idExterneAbsorbe', code: 'voted', detail };
}

function sealing(): DomainError {
  const detail = {
    en: 'The ballot box of a campaign of one of them is being sealed. Nothing was changed; repeat the request.',
    fr: fr(
      "Le scellement de l'urne d'une campagne de l'un des deux est en cours. Rien n'a été modifié; répétez la requête.",
    ),
  };
  return new DomainError(SERVICE.Indisponible, detail, { retryAfterSeconds: 30 });
}
