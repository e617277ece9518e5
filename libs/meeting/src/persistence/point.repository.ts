import { Injectable } from '@nestjs/common';
import { Transactions } from '#shared/database/transactions';
import type { Majorite } from '../domain/point.fields';
import type { PointContent, ResultatContent } from '../domain/point.rules';

/** What the vote on a point goes by; the majority is null of a point without a vote. */
export interface PointVote {
  readonly majorite: Majorite | null;
}

/** Points of agendas with their results. */
@Injectable()
export class PointRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Adds a point in the ambient transaction; answers its id, or undefined where its place is taken.
   *
   * @param id given by the service if absent
   */
  async insert(
    tenantId: string,
    seanceId: string,
    point: PointContent,
    id?: string,
  ): Promise<string | undefined> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO point_seance (tenant_id, seance_id, id_unique, titre, ordre, votable, type_vote, majorite)
       VALUES ($1, $2, coalesce($8, uuidv7()), $3, $4, $5, $6, $7)
       ON CONFLICT (tenant_id, seance_id, ordre) DO NOTHING RETURNING id_unique AS id`,
      [tenantId, seanceId, point.titre, point.ordre, point.votable, point.typeVote, point.majorite, id],
    );
    return rows[0]?.id;
  }

  async exists(tenantId: string, seanceId: string, id: string): Promise<boolean> {
    const rows = await this.transactions.query(
      { tenantId },
      {
        name: 'point_seance_exists',
        text: 'SELECT FROM point_seance WHERE tenant_id = $1 AND seance_id = $2 AND id_unique = $3',
        values: [tenantId, seanceId, id],
      },
    );
    return rows.length > 0;
  }

  /** Keeps others from writing the point's result until the ambient transaction ends; undefined if there is none. */
  async lock(tenantId: string, seanceId: string, id: string): Promise<PointVote | undefined> {
    const { rows } = await this.transactions.client().query<PointVote>(
      `SELECT majorite FROM point_seance WHERE tenant_id = $1 AND seance_id = $2 AND id_unique = $3
       FOR NO KEY UPDATE`,
      [tenantId, seanceId, id],
    );
    return rows[0];
  }

  async updateResultat(
    tenantId: string,
    id: string,
    resultat: ResultatContent,
    adopte: boolean,
  ): Promise<void> {
    await this.transactions.client().query(
      `UPDATE point_seance SET pour = $3, contre = $4, abstentions = $5, poids_pour = $6, poids_contre = $7,
         poids_abstentions = $8, adopte = $9
       WHERE tenant_id = $1 AND id_unique = $2`,
      [
        tenantId,
        id,
        resultat.pour,
        resultat.contre,
        resultat.abstentions,
        resultat.poidsPour,
        resultat.poidsContre,
        resultat.poidsAbstentions,
        adopte,
      ],
    );
  }
}
