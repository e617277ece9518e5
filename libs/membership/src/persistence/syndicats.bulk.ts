import { Injectable } from '@nestjs/common';
import { Stage, StageTable } from '#platform/bulk/stage';
import { type MergeCounts, mergeOf, NO_ROWS } from '#platform/bulk/staged-merge';
import { type StagedStatement, StagedStatements } from '#platform/bulk/staged-statements';
import { Transactions } from '#platform/database/transactions';
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
const SYNDICATS = new StageTable('stage_syndicat', NAMED);
export const EMPLOYEURS_V2 = new StageTable('stage_employeur_v2', NAMED);
const LIENS = new StageTable('stage_lien', { syndicat: 'identifier', employeur: 'identifier' });
const NOM = { nom: { update: 's.nom', insert: 's.nom' } };

/** Writes the unions and employers of a V2 sync, in the ambient transaction. */
@Injectable()
export class SyndicatsBulk {
  constructor(private readonly transactions: Transactions) {}

  stages(): SyndicatStages {
    return {
      syndicats: new Stage(SYNDICATS),
      employeurs: new Stage(EMPLOYEURS_V2),
      liens: new Stage(LIENS),
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
    const filled = [syndicats, employeurs, liens].filter(({ count }) => count > 0);
    await Stage.load(client, filled);
    const merge = (table: string, stage: Stage): StagedStatement<MergeCounts> =>
      mergeOf(tenantId, {
        ...{ table, stage, values: NOM, changedColumn: 'derniere_maj' },
        key: { id_externe: 'id_externe' },
      });
    const statements = new StagedStatements(client, filled);
    const done = await statements.run({
      syndicats: merge('syndicat', syndicats),
      employeurs: merge('employeur', employeurs),
      plans: statements.freshPlans,
      liens: linking(tenantId, liens),
    });
    const [merged = NO_ROWS] = done.syndicats;
    const [{ linked } = { linked: 0 }] = done.liens;
    const changed = merged.changed + linked;
    return { syndicats: { ...merged, changed }, employeurs: done.employeurs[0] ?? NO_ROWS };
  }
}

/** Returns a statement that links unions with employers, and counts the unions that get one and have not changed otherwise. */
function linking(tenantId: string, over: Stage): StagedStatement<{ linked: number }> {
  const text = `WITH added AS (
         INSERT INTO syndicat_employeur (tenant_id, id_externe_syndicat, identifiant_externe_employeur)
         SELECT $1, syndicat, employeur FROM ${LIENS.name} ORDER BY syndicat, employeur
         ON CONFLICT DO NOTHING RETURNING id_externe_syndicat
       ), touched AS (
         UPDATE syndicat SET derniere_maj = clock_timestamp()
         WHERE tenant_id = $1 AND id_externe IN (SELECT id_externe_syndicat FROM added) AND ${notOurs(LIENS.name)}
         RETURNING 1
       ) SELECT count(*)::int AS linked FROM touched`;
  return { text, values: [tenantId], over };
}
