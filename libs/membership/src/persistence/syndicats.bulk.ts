import { Injectable } from '@nestjs/common';
import { Stage } from '#platform/bulk/stage';
import { type MergeCounts, mergeStaged } from '#platform/bulk/staged-merge';
import { Transactions } from '#platform/database/transactions';
import { FRESH_PLANS } from '#platform/database/fresh-plans.sql';
import { withBoundedUnions } from './bounded-unions';
import { notOurs } from './own-rows.sql';

/** Unions, employers and the links between them on their way into the database. */
export interface SyndicatStages {
  readonly syndicats: Stage;
  readonly employeurs: Stage;
  readonly liens: Stage;
}

export interface SyndicatsWritten {
  readonly syndicats: MergeCounts;
  readonly employeurs: MergeCounts;
}

const NAMED = { id_externe: 'identifier', nom: 'text' } as const;
const NOM = { nom: { update: 's.nom', insert: 's.nom' } };

/** Writes the unions and employers of a V2 sync, in the ambient transaction. */
@Injectable()
export class SyndicatsBulk {
  constructor(private readonly transactions: Transactions) {}

  stages(): SyndicatStages {
    return {
      syndicats: new Stage('stage_syndicat', NAMED),
      employeurs: new Stage('stage_employeur_v2', NAMED),
      liens: new Stage('stage_lien', { syndicat: 'identifier', employeur: 'identifier' }),
    };
  }

  /**
   * @returns what was written; a union that gets another employer has changed
   * @throws DomainError `Requete.Invalide` for a union that would be too large
   */
  write(tenantId: string, stages: SyndicatStages): Promise<SyndicatsWritten> {
    return withBoundedUnions(() => this.merge(tenantId, stages));
  }

  private async merge(
    tenantId: string,
    { syndicats, employeurs, liens }: SyndicatStages,
  ): Promise<SyndicatsWritten> {
    const client = this.transactions.client();
    for (const stage of [syndicats, employeurs, liens]) await stage.load(client);
    const merge = (table: string, stage: Stage): Promise<MergeCounts> =>
      mergeStaged(client, tenantId, {
        table,
        stage: stage.name,
        key: { id_externe: 'id_externe' },
        values: NOM,
        changedColumn: 'derniere_maj',
      });
    const merged = {
      syndicats: await merge('syndicat', syndicats),
      employeurs: await merge('employeur', employeurs),
    };
    await client.query(FRESH_PLANS);
    const { rowCount: linked } = await client.query(
      `WITH added AS (
         INSERT INTO syndicat_employeur (tenant_id, id_externe_syndicat, identifiant_externe_employeur)
         SELECT $1, syndicat, employeur FROM stage_lien ORDER BY syndicat, employeur
         ON CONFLICT DO NOTHING RETURNING id_externe_syndicat
       )
       UPDATE syndicat SET derniere_maj = clock_timestamp()
       WHERE tenant_id = $1 AND id_externe IN (SELECT id_externe_syndicat FROM added) AND ${notOurs(liens.name)}`,
      [tenantId],
    );
    const changed = merged.syndicats.changed + (linked ?? 0);
    return { ...merged, syndicats: { ...merged.syndicats, changed } };
  }
}
