import type { PoolClient } from 'pg';
import { CheckedList, type Refusal } from '../input/checked-list';
import type { RecordDefinition } from '../input/field';
import { RecordValidator } from '../input/record-validator';
import { snakeCase } from '../database/connections';
import { Stage, type StageColumns, type StagedRow } from './stage';
import { mergeStaged } from './staged-merge';

/** `created + updated + refusals.length` is the number of records sent; unchanged ones count as updated. */
export interface BulkResult {
  readonly created: number;
  readonly updated: number;
  readonly refusals: Refusal[];
}

export interface BulkOptions {
  /** The property that identifies a record; `idExterne` if absent. */
  readonly identifier?: string;
  /** SQL that selects `n` and `message` of staged records that a rule refuses; `$1` is the tenant, `stage` the records. */
  readonly refusals?: string;
  /** SQL of a column's new value where the stored row `t` has a say; given the SQL of the sent value. */
  readonly overrides?: Readonly<Record<string, (sent: string) => string>>;
  /**
   * What follows the merge: `WITH stage AS (…), ` and this, with `$1` the tenant.
   *
   * @param has SQL of whether the staged row `s` has a property, by its column
   */
  readonly then?: (has: (column: string) => string) => string;
}

const NOTHING: BulkResult = { created: 0, updated: 0, refusals: [] };

/**
 * Upserts any number of records into one table, by their external identifier, with a fixed number of statements: COPY
 * into a temporary table, then MERGE. A property that a record does not have keeps its stored value; null clears it.
 * A row that would not change is not rewritten.
 */
export class BulkUpsert<D extends RecordDefinition> {
  private readonly validator: RecordValidator<D>;
  private readonly presence: Presence;
  private readonly columns: StageColumns;
  private readonly identifier: string;

  /** @param table has a column for each field, named in snake_case, beside `tenant_id`, `derniere_maj` and `id_externe` */
  constructor(
    private readonly table: string,
    definition: D,
    private readonly options: BulkOptions = {},
  ) {
    this.validator = new RecordValidator(definition);
    this.identifier = options.identifier ?? 'idExterne';
    const names = Object.keys(definition).filter(
      (name) => !['readOnly', 'rows'].includes(definition[name]!.kind),
    );
    this.presence = new Presence(names.filter((name) => name !== this.identifier));
    this.columns = { n: 'integer', present: 'integer', id_externe: 'identifier', ...this.presence.columns };
  }

  /** @param client the connection of the ambient transaction */
  async run(client: PoolClient, tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    const walk = records[Symbol.iterator]();
    const first = walk.next();
    if (first.done) return NOTHING;
    const list = new CheckedList(this.validator, this.identifier);
    const stage = new Stage(`stage_${this.table}`, this.columns);
    let everywhere = -1;
    await stage.fill(
      client,
      this.rows(list, first, walk, (present) => (everywhere &= present)),
    );
    const refused = await this.refuse(client, tenantId, stage);
    const created = await mergeStaged(client, tenantId, {
      table: this.table,
      stage: stage.name,
      key: { id_externe: 'id_externe' },
      values: this.presence.values(everywhere, this.options.overrides),
      changedColumn: 'derniere_maj',
    });
    const then = this.options.then?.((column) => this.presence.has(column));
    if (then) await client.query(this.onStage(then, stage), [tenantId]);
    await client.query(`DROP TABLE ${stage.name}`);
    return {
      created,
      updated: stage.count - refused.length - created,
      refusals: [...list.refusals, ...refused].sort((a, b) => a.index - b.index),
    };
  }

  private *rows(
    list: CheckedList<D>,
    first: IteratorResult<unknown>,
    walk: Iterator<unknown>,
    note: (present: number) => void,
  ): Iterable<StagedRow | undefined> {
    for (let step = first; !step.done; step = walk.next()) {
      const { index, id, values } = list.check(step.value);
      if (!values) {
        yield undefined;
        continue;
      }
      const present = this.presence.of(values);
      note(present);
      yield [index, present, id, ...this.presence.row(values)];
    }
  }

  private async refuse(client: PoolClient, tenantId: string, stage: Stage): Promise<Refusal[]> {
    if (!this.options.refusals) return [];
    const { rows } = await client.query<Refusal>(
      this.onStage(
        `refused AS (${this.options.refusals}), removed AS (
           DELETE FROM ${stage.name} s USING refused WHERE s.n = refused.n RETURNING s.n, s.id_externe
         ) SELECT n AS index, id_externe AS "idExterne", message FROM refused JOIN removed USING (n)`,
        stage,
      ),
      [tenantId],
    );
    return rows;
  }

  private onStage(statement: string, stage: Stage): string {
    return `WITH stage AS (SELECT * FROM ${stage.name}), ${statement}`;
  }
}

/** Which properties a record has, as bits: what is absent keeps its stored value. */
export class Presence {
  readonly columns: StageColumns;
  private readonly names: readonly string[];

  /** @param names properties whose columns have their names in snake_case */
  constructor(names: readonly string[]) {
    this.names = names;
    this.columns = Object.fromEntries(
      names.map((name) => {
        const column = snakeCase(name);
        return [column, column.startsWith('id') ? 'identifier' : 'text'] as const;
      }),
    );
  }

  /** Returns one bit for each property, set if the record has it. */
  of(values: Record<string, unknown>): number {
    let present = 0;
    for (let position = 0; position < this.names.length; position++) {
      if (values[this.names[position]!] !== undefined) present |= 1 << position;
    }
    return present;
  }

  /** SQL of whether the staged row `s` has a property. */
  has(column: string): string {
    return `s.present & ${1 << Object.keys(this.columns).indexOf(column)} <> 0`;
  }

  row(values: Record<string, unknown>): (string | null | undefined)[] {
    return this.names.map((name) => values[name] as string | null | undefined);
  }

  /**
   * What each column becomes.
   *
   * @param everywhere bits of the properties that every staged record has, and whose stored values thus do not matter
   */
  values(
    everywhere: number,
    overrides: BulkOptions['overrides'] = {},
  ): Record<string, { update: string; insert: string }> {
    return Object.fromEntries(
      Object.keys(this.columns).map((column, position) => {
        const bit = 1 << position;
        const sent =
          everywhere & bit
            ? `s.${column}`
            : `CASE WHEN ${this.has(column)} THEN s.${column} ELSE t.${column} END`;
        return [column, { update: overrides[column]?.(sent) ?? sent, insert: `s.${column}` }];
      }),
    );
  }
}
