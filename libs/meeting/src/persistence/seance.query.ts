import { Injectable } from '@nestjs/common';
import {
  itemColumns,
  JsonItems,
  jsonList,
  jsonObject,
  type Page,
  type Position,
} from '#platform/database/json-items';
import { LargeItems } from '#platform/database/large-items';
import { Transactions } from '#platform/database/transactions';
import { pick } from '#platform/input/field';
import { PRESENCES_FIELDS, SEANCE_FIELDS, type SeanceFilter } from '../domain/seance.fields';

/** Meetings as JSON text. */
@Injectable()
export class SeanceQuery {
  private readonly seances: JsonItems;
  private readonly participations: JsonItems;

  constructor(transactions: Transactions) {
    const source = { table: 'seance', key: 'id_unique' };
    this.seances = new LargeItems(transactions, {
      ...source,
      name: 'seance',
      columns: {
        seanceId: 'id_unique',
        ...itemColumns(pick(SEANCE_FIELDS, 'titre', 'date', 'syndicatIdExterne')),
        points: jsonList(
          jsonObject({ pointId: 'p.id_unique', titre: 'p.titre', ordre: 'p.ordre', votable: 'p.votable' }),
          'FROM point_seance p WHERE p.tenant_id = $1 AND p.seance_id = seance.id_unique ORDER BY p.ordre',
        ),
      },
    });
    this.participations = new JsonItems(transactions, {
      ...source,
      name: 'seance_participation',
      columns: {
        ...itemColumns(PRESENCES_FIELDS),
        tauxParticipation: `CASE WHEN votants IS NULL THEN NULL WHEN inscrits = 0 THEN 0
          ELSE trim_scale(round(100.0 * votants / inscrits, 2)) END`,
        quorumAtteint: 'presents >= quorum',
      },
    });
  }

  one(tenantId: string, id: string): Promise<string | undefined> {
    return this.seances.one(tenantId, id);
  }

  page(tenantId: string, filter: SeanceFilter, after: Position | undefined, limit: number): Promise<Page> {
    return this.seances.page(tenantId, after, limit, [
      { sql: 'syndicat_id_externe = ?', value: filter.syndicatIdExterne },
      { sql: 'date >= ?', value: filter.apres, planned: 'for each value' },
      { sql: 'date <= ?', value: filter.avant, planned: 'for each value' },
    ]);
  }

  participation(tenantId: string, id: string): Promise<string | undefined> {
    return this.participations.one(tenantId, id);
  }
}
