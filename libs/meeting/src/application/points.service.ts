import { POINT_ACTIONS } from '../domain/meeting.actions';
import { POINT, RESULTAT } from '../domain/meeting.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { Page, Position } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import { Point } from '../domain/point.entity';
import type { PointRecord, ResultatRecord } from '../domain/point.fields';
import { resultatOf } from '../domain/resultat';
import { PointQuery } from '../persistence/point.query';
import { PointRepository } from '../persistence/point.repository';
import { SeanceRepository } from '../persistence/seance.repository';
import { fr } from '#platform/errors/text';

/**
 * Points of the agenda of a meeting, and results of their votes (docs/contract.md, "Meetings"). Each operation throws
 * `Seance.NotFound` and the errors named below.
 */
@Injectable()
export class PointsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly seances: SeanceRepository,
    private readonly query: PointQuery,
    private readonly repository: PointRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Adds a point to the agenda.
   *
   * @param id given by the service if absent
   * @throws DomainError `Point.OrdreDejaUtilise`, `Requete.Invalide` for a vote's property of a point without a vote
   */
  async create(
    tenantId: string,
    actor: Actor,
    seanceId: string,
    record: PointRecord,
    id?: string,
  ): Promise<Json> {
    const point = Point.of(tenantId, seanceId, record);
    return this.transactions.run({ tenantId }, async () => {
      await this.seances.assertExists(tenantId, seanceId);
      if (!(await this.repository.insert(point, id))) {
        const detail = {
          en: `Another point of the meeting has place ${point.ordre}. Choose another \`ordre\`.`,
          fr: fr`Un autre point de la séance a le rang ${point.ordre}. Choisissez un autre \`ordre\`.`,
        };
        throw new DomainError(POINT.OrdreDejaUtilise, detail);
      }
      this.audit.record(tenantId, actor, POINT_ACTIONS.creer, [point.idUnique]);
      return (await this.query.one(tenantId, seanceId, point.idUnique))!;
    });
  }

  /** Returns the results of all votable points in the order of the agenda. Points without a result have null counts. */
  async resultats(
    tenantId: string,
    seanceId: string,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    const page = await this.query.resultatsPage(tenantId, seanceId, after, limit);
    if (page.items.length === 0) await this.seances.assertExists(tenantId, seanceId);
    return page;
  }

  /** Returns the result of one point. @throws DomainError `Point.NotFound`, `Resultat.NotFound` of a point without a vote */
  async resultat(tenantId: string, seanceId: string, id: string): Promise<Json> {
    const item = await this.query.resultat(tenantId, seanceId, id);
    if (item !== undefined) return item;
    if (!(await this.query.one(tenantId, seanceId, id))) return this.missing(tenantId, seanceId);
    throw new DomainError(RESULTAT.NotFound, {
      en: 'The point is not put to the vote and has no result.',
      fr: fr("Le point n'est pas soumis au vote et n'a pas de résultat."),
    });
  }

  /**
   * Replaces the result of a point, and computes whether the proposal is adopted.
   *
   * @throws DomainError `Point.NotFound`, `Point.NonVotable`, `Precondition.Echouee`, `Requete.Invalide` for weights that
   * contradict the counts
   */
  async recordResultat(
    tenantId: string,
    actor: Actor,
    seanceId: string,
    id: string,
    record: ResultatRecord,
    ifMatch?: string,
  ): Promise<Json> {
    const resultat = resultatOf(record);
    return this.transactions.run({ tenantId }, async () => {
      const point = await this.repository.lock(tenantId, seanceId, id);
      if (!point) return this.missing(tenantId, seanceId);
      point.record(resultat);
      assertIfMatch(ifMatch, await this.resultat(tenantId, seanceId, id));
      await this.repository.updateResultat(point);
      this.audit.record(tenantId, actor, POINT_ACTIONS.resultats, [id]);
      return this.resultat(tenantId, seanceId, id);
    });
  }

  private async missing(tenantId: string, seanceId: string): Promise<never> {
    await this.seances.assertExists(tenantId, seanceId);
    throw new DomainError(POINT.NotFound);
  }
}
