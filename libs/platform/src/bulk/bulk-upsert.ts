import type { PoolClient } from 'pg';
import { CheckedList, type Refusal } from '../input/checked-list';
import type { RecordDefinition } from '../input/field';
import { RecordValidator } from '../input/record-validator';
import { Presence, type StagedProperties } from './presence';
import { Stage, type StagedRow } from './stage';
import { mergeStaged } from './staged-merge';
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
  /** A rule that rejects staged records by what they refer to. */
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
  }

  /** @param client the connection of the ambient transaction */
  async run(client: PoolClient, tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    const walk = records[Symbol.iterator]();
    const first = walk.next();
    if (first.done) return NOTHING;
    const { references, then, overrides = {} } = this.options;
    const list = new CheckedList(this.validator, this.identifier, this.options.list);
    const properties = this.presence.request();
    const stage = new Stage(`stage_${this.table}`, {
      n: 'integer',
      id_externe: 'identifier',
      ...this.presence.columns,
    });
    await stage.fill(client, this.rows(list, properties, first, walk));
    const refused = references ? await refuse(client, tenantId, stage.name, references) : [];
    const values = properties.values();
    for (const [column, override] of Object.entries(overrides)) {
      const { update, insert } = values[column]!;
      values[column] = { update: override(update), insert };
    }
    const merged = await mergeStaged(client, tenantId, {
      table: this.table,
      stage: stage.name,
      key: { id_externe: 'id_externe' },
      values,
      changedColumn: 'derniere_maj',
    });
    const further = then
      ? await client.query<FurtherEffects>(
          then(stage.name, (name) => this.presence.has(name)),
          [tenantId],
        )
      : undefined;
    const effects = further?.rows[0] ?? NO_EFFECTS;
    const { created } = merged;
    const updated = stage.count - refused.length - created;
    const changed = merged.changed + effects.changed;
    return {
      created,
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

/** Removes rejected records from the stage and returns them. */
async function refuse(
  client: PoolClient,
  tenantId: string,
  stage: string,
  { select, fault }: ReferenceRule,
): Promise<Refusal[]> {
  const { rows } = await client.query<{ index: number; idExterne: string; reference: string }>(
    `WITH refused AS (${select(stage)}), removed AS (
       DELETE FROM ${stage} s USING refused WHERE s.n = refused.n RETURNING s.n, s.id_externe
     ) SELECT n AS index, id_externe AS "idExterne", reference FROM refused JOIN removed USING (n)`,
    [tenantId],
  );
  return rows.map(({ reference, ...record }) => ({ ...record, message: fault(reference) }));
}
