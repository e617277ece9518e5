import { LISTE_ELECTORALE_EVENTS } from '../domain/voting.events';
import { LISTE_ELECTORALE_ACTIONS } from '../domain/voting.actions';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import type { Page, Position } from '#platform/database/json-items';
import { invalidRequest } from '#platform/errors/domain-error';
import { Outbox } from '#platform/events/outbox';
import { dayOf } from '#platform/input/wire-date';
import type { ListeElectoraleRecord } from '../domain/liste-electorale.fields';
import type { ListeElectorale } from '../domain/liste-electorale.types';
import { CampagneRepository } from '../persistence/campagne.repository';
import { ListeElectoraleRepository } from '../persistence/liste-electorale.repository';
import { Roll } from './roll';

const CRITERIA = ['SyndicatsIdExternes', 'EmployeursIdentifiantsExternes', 'EmployesIdExternes'] as const;

/** Electoral lists: voters made of employees by criteria (docs/contract.md, "Electoral lists"). */
@Injectable()
export class ListesElectoralesService {
  constructor(
    private readonly campagnes: CampagneRepository,
    private readonly repository: ListeElectoraleRepository,
    private readonly roll: Roll,
    private readonly outbox: Outbox,
  ) {}

  /** @throws DomainError `Campagne.NotFound` */
  async page(
    tenantId: string,
    campagneId: string,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    const page = await this.repository.page(tenantId, campagneId, after, limit);
    if (page.items === '') await this.campagnes.assertExists(tenantId, campagneId);
    return page;
  }

  /**
   * Adds the employees that meet all criteria to the roll, those that are on it already excepted.
   *
   * @throws DomainError `Campagne.NotFound`, `Campagne.ModificationNonPermise`, `Requete.Invalide` without any criterion
   * and for each identifier that names nothing
   */
  async create(
    tenantId: string,
    actor: Actor,
    campagneId: string,
    record: ListeElectoraleRecord,
  ): Promise<ListeElectorale> {
    const criteria = withoutEmptyLists({ ...record, ActifsLe: record.ActifsLe && dayOf(record.ActifsLe) });
    if (CRITERIA.every((criterion) => criteria[criterion] == null)) {
      const detail = `name at least one criterion (${CRITERIA.join(', ')}): a list without any would be everyone`;
      throw invalidRequest([{ pointer: '', code: 'required', detail }]);
    }
    return this.roll.write(
      { tenantId, actor, action: LISTE_ELECTORALE_ACTIONS.creer, campagneId },
      async () => {
        const unknown = await this.repository.unknownNames(tenantId, criteria);
        if (unknown.length > 0) {
          throw invalidRequest(
            unknown.map(({ criterion, index }) => ({
              pointer: `/${criterion}/${index}`,
              code: 'reference',
              detail: `names no ${WHAT[criterion]}`,
            })),
          );
        }
        const enrolled = await this.repository.enrol(tenantId, campagneId, criteria);
        const { id, dateCreation } = await this.repository.insert(tenantId, campagneId, criteria, enrolled);
        const { ajoutes, present } = enrolled;
        const result = {
          Id: id,
          NombreVotants: ajoutes.count + present,
          NombreAjoutes: ajoutes.count,
          NombreDejaPresents: present,
          DateCreationUtc: dateCreation.toISOString(),
        };
        await this.outbox.add(
          tenantId,
          LISTE_ELECTORALE_EVENTS.creee,
          JSON.stringify({ CampagneId: campagneId, ...result }),
        );
        return { change: { ajoutes }, result };
      },
    );
  }
}

const WHAT = {
  SyndicatsIdExternes: 'union',
  EmployeursIdentifiantsExternes: 'employer',
  EmployesIdExternes: 'employee',
} as const;

/** An empty list is the same as an absent criterion. */
function withoutEmptyLists(record: ListeElectoraleRecord): ListeElectoraleRecord {
  const lists = Object.fromEntries(
    CRITERIA.map((criterion) => [criterion, record[criterion]?.length ? record[criterion] : null]),
  );
  return { ...record, ...lists };
}
