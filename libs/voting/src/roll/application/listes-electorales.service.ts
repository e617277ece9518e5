import { LISTE_ELECTORALE_EVENTS } from '../../domain/voting.events';
import { LISTE_ELECTORALE_ACTIONS } from '../../domain/voting.actions';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import type { FetchPage } from '#platform/database/json-items';
import { type DomainError, invalidRequest } from '#platform/errors/domain-error';
import { Outbox } from '#platform/events/outbox';
import { Transactions } from '#platform/database/transactions';
import type { ListeElectoraleRecord } from '../domain/liste-electorale.fields';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import { EcartsRepository } from '../persistence/ecarts.repository';
import { ListeElectoraleRepository } from '../persistence/liste-electorale.repository';
import { codeOf, type MotifName } from '../domain/motif.fields';
import { Roll } from './roll';
import { fr } from '#platform/errors/text';
import { NAMES_NO } from '#membership';

/** Criteria, each with the fault of an identifier that names no record. */
const CRITERIA = {
  SyndicatsIdExternes: NAMES_NO.syndicat,
  EmployeursIdentifiantsExternes: NAMES_NO.employeur,
  EmployesIdExternes: NAMES_NO.employe,
} as const;
const CRITERION_NAMES = Object.keys(CRITERIA) as (keyof typeof CRITERIA)[];

/** Most employees that the different criteria of a campaign's lists name, each counted once for each of them: a comparison looks at all. */
const MOST_PAIRS = 4_000_000;

/** Most lists of a campaign: a comparison reads the criteria of all, also of equal ones. */
const MOST_LISTS = 1_000;

/** Electoral lists: voters made of employees by criteria (docs/contract.md, "Electoral lists"). */
@Injectable()
export class ListesElectoralesService {
  constructor(
    private readonly campagnes: CampagneRepository,
    private readonly repository: ListeElectoraleRepository,
    private readonly ecarts: EcartsRepository,
    private readonly roll: Roll,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
  ) {}

  /** Reading it throws `Campagne.NotFound`. */
  list(tenantId: string, campagneId: string): FetchPage {
    return this.campagnes.listOfKnown(tenantId, campagneId, this.repository.list(tenantId, campagneId));
  }

  /**
   * Adds the employees that meet all criteria to the roll, those that are on it already excepted.
   *
   * @throws DomainError `Campagne.NotFound`, `Campagne.ModificationNonPermise`, `Requete.Invalide` without any criterion
   * and for each identifier that names nothing, and if the lists together would be too many to compare
   */
  async create(tenantId: string, actor: Actor, campagneId: string, record: ListeElectoraleRecord) {
    const criteria = criteriaOf(record);
    const writer = { tenantId, actor, action: LISTE_ELECTORALE_ACTIONS.creer, campagneId };
    return this.roll.write(writer, async () => {
      if ((await this.repository.count(tenantId, campagneId)) >= MOST_LISTS) throw tooManyLists();
      await this.assertKnown(tenantId, criteria, true);
      const enrolled = await this.repository.enrol(tenantId, campagneId, criteria);
      const dateCreation = await this.repository.insert(tenantId, campagneId, criteria, enrolled);
      if ((await this.ecarts.pairs(tenantId, campagneId)) > MOST_PAIRS) throw tooManyPairs();
      const { id, ajoutes, present } = enrolled;
      const result = {
        Id: id,
        NombreVotants: ajoutes.count + present,
        NombreAjoutes: ajoutes.count,
        NombreDejaPresents: present,
        DateCreationUtc: dateCreation.toISOString(),
      };
      const data = JSON.stringify({ CampagneId: campagneId, ...result });
      await this.outbox.add(tenantId, LISTE_ELECTORALE_EVENTS.creee, data);
      return { change: { ajoutes }, result };
    });
  }

  /**
   * Counts what `create` would do, by reasons; writes nothing.
   *
   * @throws DomainError `Campagne.NotFound`, and `Requete.Invalide` as `create`
   */
  async simulate(tenantId: string, campagneId: string, record: ListeElectoraleRecord) {
    const criteria = criteriaOf(record);
    await this.campagnes.assertExists(tenantId, campagneId);
    const { matched, present, motifs } = await this.transactions.read({ tenantId }, async () => {
      await this.assertKnown(tenantId, criteria, false);
      return this.repository.simulate(tenantId, campagneId, criteria);
    });
    return {
      NombreVotants: matched,
      NombreAjoutes: matched - present,
      NombreDejaPresents: present,
      Motifs: Object.entries(motifs).map(([name, Nombre]) => ({ Code: codeOf(name as MotifName), Nombre })),
    };
  }

  private async assertKnown(tenantId: string, criteria: ListeElectoraleRecord, hold: boolean): Promise<void> {
    const unknown = await this.repository.unknownNames(tenantId, criteria, hold);
    if (unknown.length === 0) return;
    throw invalidRequest(
      unknown.map(({ criterion, index }) => ({
        pointer: `/${criterion}/${index}`,
        code: 'reference',
        detail: CRITERIA[criterion],
      })),
    );
  }
}

function tooManyLists(): DomainError {
  const detail = {
    en: `would be more than ${MOST_LISTS} lists of the campaign. Instead of making an equal list again, apply the differences of the roll (POST …/liste-electorale/ecarts/appliquer). Otherwise name the unions, employers or employees of several lists in one`,
    fr: fr`la campagne aurait plus de ${MOST_LISTS} listes. Au lieu de refaire une liste identique, appliquez les écarts de la liste électorale (POST …/liste-electorale/ecarts/appliquer). Sinon, réunissez en une seule liste les syndicats, les employeurs ou les employés de plusieurs`,
  };
  return invalidRequest([{ pointer: '', code: 'maximum', detail }]);
}

function tooManyPairs(): DomainError {
  const detail = {
    en: `would make the lists of the campaign too many to compare with the roll: their different criteria would name more than ${MOST_PAIRS} employees, each counted once for each of them. Name the unions, employers or employees of several lists in one, or use the same ActifsLe`,
    fr: fr`les listes de la campagne seraient trop nombreuses pour être comparées à la liste électorale : leurs différents critères désigneraient plus de ${MOST_PAIRS} employés, chacun compté une fois par critère. Réunissez en une seule liste les syndicats, les employeurs ou les employés de plusieurs, ou utilisez le même ActifsLe`,
  };
  return invalidRequest([{ pointer: '', code: 'maximum', detail }]);
}

/** An empty list is the same as an absent criterion. @throws DomainError `Requete.Invalide` without any criterion */
function criteriaOf(record: ListeElectoraleRecord): ListeElectoraleRecord {
  const lists = Object.fromEntries(
    CRITERION_NAMES.map((criterion) => [criterion, record[criterion]?.length ? record[criterion] : null]),
  );
  if (CRITERION_NAMES.some((criterion) => lists[criterion] !== null)) return { ...record, ...lists };
  const names = CRITERION_NAMES.join(', ');
  const detail = {
    en: `name at least one criterion (${names}): a list without any would be everyone`,
    fr: fr`donnez au moins un critère (${names}) : une liste sans critère comprendrait tout le monde`,
  };
  throw invalidRequest([{ pointer: '', code: 'required', detail }]);
}
