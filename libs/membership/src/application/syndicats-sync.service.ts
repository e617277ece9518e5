import { Injectable } from '@nestjs/common';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import { type BulkResult, NOTHING } from '#platform/bulk/bulk-upsert';
import { CheckedList, shortened } from '#platform/input/checked-list';
import { NestedLimits } from '#platform/limits/nested-limits';
import { RecordValidator } from '#platform/input/record-validator';
import { EMPLOYEUR_V2_FIELDS, SYNDICAT_V2_FIELDS } from '../domain/syndicat.fields';
import { SyndicatsBulk, type SyndicatStages } from '../persistence/syndicats.bulk';
import { countsOf } from './bulk-counts';
import { fr, type Text } from '#platform/errors/text';

export interface SyndicatsResult {
  readonly syndicats: BulkResult;
  readonly employeurs: BulkResult;
}

/** The unions of a V2 sync with the employers nested in them (docs/contract.md, "V2 sync", rule 1). */
@Injectable()
export class SyndicatsSyncService {
  private readonly syndicat = new RecordValidator(SYNDICAT_V2_FIELDS);
  private readonly employeur = new RecordValidator(EMPLOYEUR_V2_FIELDS);

  constructor(private readonly bulk: SyndicatsBulk) {}

  /**
   * Creates and updates the unions and employers in the ambient transaction.
   *
   * @throws DomainError `Requete.TropVolumineuse` beyond the limits
   */
  async upsert(tenantId: string, records: Iterable<unknown>, limits: NestedLimits): Promise<SyndicatsResult> {
    const syndicats = new CheckedList(this.syndicat, 'IdentifiantExterne', 'Syndicats');
    const employeurs = new CheckedList(this.employeur, 'IdentifiantExterne', 'Employeurs');
    const stages = this.bulk.stages();
    /** Names by identifier, because the first name of an employer that is nested in several unions counts. */
    const names = new Map<string, string>();
    const yielder = new EventLoopYielder();
    for (const record of records) {
      const { index, id, values } = syndicats.check(record);
      if (!values) continue;
      stages.syndicats.add([id, values.Nom]);
      const nested = [...(values.Employeurs ?? [])];
      limits.read(nested.length);
      employeurs.restart(`Syndicats[${index}].Employeurs`);
      for (const employeur of nested) {
        this.stageEmployeur(employeurs, employeur, id, names, stages);
        if (yielder.isDue) await yielder.yield();
      }
      limits.refused(employeurs.refusals.length);
      limits.kept(stages.employeurs.keptBytes + stages.liens.keptBytes);
      if (yielder.isDue) await yielder.yield();
    }
    if (syndicats.length === 0) return { syndicats: NOTHING, employeurs: NOTHING };
    const written = await this.bulk.write(tenantId, stages);
    return {
      syndicats: countsOf(syndicats, written.syndicats),
      employeurs: countsOf(employeurs, written.employeurs),
    };
  }

  private stageEmployeur(
    list: CheckedList<typeof EMPLOYEUR_V2_FIELDS>,
    sent: unknown,
    syndicat: string,
    names: Map<string, string>,
    stages: SyndicatStages,
  ): void {
    const note = (): Text => {
      const of = shortened(syndicat);
      return { en: ` (union ${of})`, fr: fr` (syndicat ${of})` };
    };
    const checked = list.check(sent, note);
    const { id, values } = checked;
    if (!values) return;
    stages.liens.add([syndicat, id]);
    const name = names.get(id);
    if (name !== undefined && name !== values.Nom) {
      list.refuse(
        checked,
        {
          en: 'has another name earlier in this request; the first one counts, and the employer is linked',
          fr: fr('a un autre nom plus tôt dans cette requête; le premier compte, et l’employeur est lié'),
        },
        note(),
      );
      return;
    }
    if (name === undefined) {
      names.set(id, values.Nom);
      stages.employeurs.add([id, values.Nom]);
    }
  }
}
