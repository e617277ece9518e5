import type { PoolClient } from 'pg';
import { CheckedList, type Refusal } from '../input/checked-list';
import type { RecordDefinition } from '../input/field';
import { RecordValidator } from '../input/record-validator';
import { Presence, type StagedProperties } from './presence';
import { Stage, type StagedRow, StageTable } from './stage';
import { mergeOf, NO_ROWS } from './staged-merge';
import { type StagedStatement, StagedStatements } from './staged-statements';
import type { Text } from '../errors/text';

/** `created + updated + refusals.length` is the number of records sent; unchanged ones count as updated. */
export interface BulkResult {
  readonly created: number;
  readonly updated: number;
  /** Number of `updated` records that have changed and not ended. */
  readonly changed: number;
  readonly unchanged: number;
  /** Stored records that the request has ended, those that it left out included. */
  readonly ended: number;
  /** Stored values that the request has cleared. */
  readonly cleared: number;
  readonly refusals: Refusal[];
}

interface ReferenceRule {
  /** Returns SQL that selects `n` and `reference` of the staged records that are rejected; `$1` is the tenant. */
  readonly select: (stage: string) => string;
  readonly fault: (reference: string) => Text;
}

export interface BulkOptions {
  /** The list's name in requests. */
  readonly list: string;
  /** The property that identifies a record; `idExterne` if absent. */
  readonly identifier?: string;
  /** A rule that rejects staged records by their references. */
  readonly references?: ReferenceRule;
  /** SQL of a column's new value if it depends on the stored row `t`; given the SQL of the sent value. */
  readonly overrides?: Readonly<Record<string, (sent: string) => string>>;
  /**
   * Returns a statement that runs after the merge and selects one row: the numbers of records that it has `changed`
   * beyond those of the merge, of records that it has `ended` and of values that it has `cleared`. `$1` is the tenant.
   *
   * @param has SQL: whether the staged row `s` has a property
   */
  readonly then?: (stage: string, has: (name: string) => string) => string;
}

/** Effects of the statement after a merge. */
type FurtherEffects = Pick<BulkResult, 'changed' | 'ended' | 'cleared'>;

const NO_EFFECTS: FurtherEffects = { changed: 0, ended: 0, cleared: 0 };

/** The result of an empty list. */
export const NOTHING: BulkResult = { created: 0, updated: 0, unchanged: 0, ...NO_EFFECTS, refusals: [] };

/**
 * Upserts any number of records into one table, by their external identifier, with a fixed number of statements: COPY
 * into a stage, then MERGE. An absent property keeps its stored value; null clears it. An unchanged row is not rewritten.
 */
export class BulkUpsert<D extends RecordDefinition> {
  private readonly validator: RecordValidator<D>;
  private readonly presence: Presence;
  private readonly identifier: string;
  /** The table of the records of a request. */
  readonly stage: StageTable;

  /** @param table has a column for each field, named in snake_case, and `tenant_id`, `derniere_maj` and `id_externe` */
  constructor(
    private readonly table: string,
    definition: D,
    private readonly options: BulkOptions,
  ) {
    this.validator = new RecordValidator(definition);
    this.identifier = options.identifier ?? 'idExterne';
    const names = Object.keys(definition).filter(
      (name) => name !== this.identifier && !['readOnly', 'rows'].includes(definition[name]!.kind),
    );
    this.presence = new Presence(names);
    this.stage = new StageTable(`stage_${table}`, {
      n: 'integer',
      id_externe: 'identifier',
      ...this.presence.columns,
    });
  }

  /** @param client the connection of the ambient transaction */
  async run(client: PoolClient, tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    const walk = records[Symbol.iterator]();
    const first = walk.next();
    if (first.done) return NOTHING;
    const { references, then, overrides = {} } = this.options;
    const list = new CheckedList(this.validator, this.identifier, this.options.list);
    const properties = this.presence.request();
    const stage = new Stage(this.stage);
    await stage.fill(client, this.rows(list, properties, first, walk));
    await Stage.load(client, [stage]);
    const statements = new StagedStatements(client, [stage]);
    const further: StagedStatement<FurtherEffects> | undefined = then && {
      text: then(stage.name, (name) => this.presence.has(name)),
      values: [tenantId],
    };
    const values = properties.values(statements.isLarge);
    for (const [column, override] of Object.entries(overrides)) {
      const { update, insert } = values[column]!;
      values[column] = { update: override(update), insert };
    }
    const done = await statements.run({
      plans: statements.freshPlans,
      refused: references && refusing(tenantId, stage.name, references),
      merge: mergeOf(tenantId, {
        table: this.table,
        stage,
        key: { id_externe: 'id_externe' },
        values,
        changedColumn: 'derniere_maj',
      }),
      further,
    });
    const [merged = NO_ROWS] = done.merge;
    const [effects = NO_EFFECTS] = done.further;
    const refused = refusalsOf(done.refused, references);
    const updated = stage.count - refused.length - merged.created;
    const changed = merged.changed + effects.changed;
    return {
      created: merged.created,
      updated,
      changed,
      unchanged: updated - changed,
      ended: effects.ended,
      cleared: merged.cleared + effects.cleared,
      refusals: [...list.refusals, ...refused].sort((a, b) => a.index - b.index),
    };
  }

  private *rows(
    list: CheckedList<D>,
    properties: StagedProperties,
    first: IteratorResult<unknown>,
    walk: Iterator<unknown>,
  ): Iterable<StagedRow | undefined> {
    for (let step = first; !step.done; step = walk.next()) {
      const { index, id, values } = list.check(step.value);
      yield values && [index, id, ...properties.row(values)];
    }
  }
}

interface RefusedRow {
  readonly index: number;
  readonly idExterne: string;
  readonly reference: string;
}

/** Returns a statement that removes rejected records from the stage and returns them. */
function refusing(tenantId: string, stage: string, { select }: ReferenceRule): StagedStatement<RefusedRow> {
  const text = `WITH refused AS (${select(stage)}), removed AS (
       DELETE FROM ${stage} s USING refused WHERE s.n = refused.n RETURNING s.n, s.id_externe
     ) SELECT n AS index, id_externe AS "idExterne", reference FROM refused JOIN removed USING (n)`;
  return { text, values: [tenantId] };
}

function refusalsOf(rows: readonly RefusedRow[], rule: ReferenceRule | undefined): Refusal[] {
  return rows.map(({ reference, ...record }) => ({ ...record, message: rule!.fault(reference) }));
}
