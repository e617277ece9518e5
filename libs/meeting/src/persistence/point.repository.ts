import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import { Point } from '../domain/point.entity';

/** Points of agendas with their results. */
@Injectable()
export class PointRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Adds a point in the ambient transaction and gives it its id.
   *
   * @param id given by the database if absent
   * @returns false if its place on the agenda is taken
   */
  async insert(point: Point, id?: string): Promise<boolean> {
    const { tenantId, seanceId, titre, ordre, votable, typeVote, majorite } = point;
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO point_seance (tenant_id, seance_id, id_unique, titre, ordre, votable, type_vote, majorite)
       VALUES ($1, $2, coalesce($8, uuidv7()), $3, $4, $5, $6, $7)
       ON CONFLICT (tenant_id, seance_id, ordre) DO NOTHING RETURNING id_unique AS id`,
      [tenantId, seanceId, titre, ordre, votable, typeVote, majorite, id],
    );
    const [made] = rows;
    if (made) point.idUnique = made.id;
    return made !== undefined;
  }

  /** The point, locked until the ambient transaction ends; null if there is none. */
  lock(tenantId: string, seanceId: string, idUnique: string): Promise<Point | null> {
    return this.transactions
      .manager()
      .findOne(Point, { where: { tenantId, seanceId, idUnique }, lock: { mode: 'for_no_key_update' } });
  }

  /** Writes the result of a point. */
  async updateResultat({ tenantId, idUnique, ...point }: Point): Promise<void> {
    const { pour, contre, abstentions, poidsPour, poidsContre, poidsAbstentions, adopte } = point;
    await this.transactions
      .manager()
      .update(
        Point,
        { tenantId, idUnique },
        { pour, contre, abstentions, poidsPour, poidsContre, poidsAbstentions, adopte },
      );
  }
}
