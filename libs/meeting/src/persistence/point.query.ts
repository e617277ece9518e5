import { Injectable } from '@nestjs/common';
import { itemColumns, JsonItems, type Page, type Position } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { omit, pick } from '#platform/input/field';
import { POINT_FIELDS, RESULTAT_FIELDS } from '../domain/point.fields';

/** Points of agendas, and their results, as JSON text. */
@Injectable()
export class PointQuery {
  private readonly points: JsonItems;
  private readonly resultats: JsonItems;

  constructor(transactions: Transactions) {
    const source = { table: 'point_seance', key: 'id_unique' };
    this.points = new JsonItems(transactions, {
      ...source,
      name: 'point_seance',
      columns: { pointId: 'id_unique', ...itemColumns(omit(POINT_FIELDS, 'pointId')) },
    });
    this.resultats = new JsonItems(transactions, {
      ...source,
      name: 'point_seance_resultat',
      order: { by: 'ordre', isNumber: true },
      columns: {
        pointId: 'id_unique',
        ...itemColumns(pick(RESULTAT_FIELDS, 'titre', 'ordre', 'typeVote', 'pour', 'contre', 'abstentions')),
        poidsPour: 'trim_scale(poids_pour)',
        poidsContre: 'trim_scale(poids_contre)',
        poidsAbstentions: 'trim_scale(poids_abstentions)',
        ...itemColumns(pick(RESULTAT_FIELDS, 'adopte', 'majorite')),
      },
    });
  }

  one(tenantId: string, seanceId: string, id: string): Promise<string | undefined> {
    return this.points.one(tenantId, id, [{ sql: 'seance_id = ?', value: seanceId }]);
  }

  /** Returns the result of a votable point; undefined for any other point. */
  resultat(tenantId: string, seanceId: string, id: string): Promise<string | undefined> {
    return this.resultats.one(tenantId, id, votableOf(seanceId));
  }

  /** Returns the results of all votable points of a meeting, in the order of its agenda. */
  resultatsPage(
    tenantId: string,
    seanceId: string,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.resultats.page(tenantId, after, limit, votableOf(seanceId));
  }
}

function votableOf(seanceId: string) {
  return [
    { sql: 'seance_id = ?', value: seanceId },
    { sql: 'votable = ?', value: true },
  ];
}
