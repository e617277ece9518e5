import { snakeCase } from '../input/field';
import type { StageColumns, StagedRow } from './stage';

/** SQL of a column's new value in a stored and in a new row. */
export interface ColumnValue {
  readonly update: string;
  readonly insert: string;
}

/**
 * The coding of absent properties in a stage: its column `present` has one bit for each property, set if the record has
 * it. An absent property keeps its stored value; null clears it.
 */
export class Presence {
  readonly columns: StageColumns;

  /** @param names properties whose columns have their names in snake_case */
  constructor(private readonly names: readonly string[]) {
    this.columns = {
      present: 'integer',
      ...Object.fromEntries(names.map(snakeCase).map((name) => [name, typeOf(name)] as const)),
    };
  }

  /** Returns the value of `present` for a record. */
  of(record: Record<string, unknown>): number {
    let present = 0;
    for (let position = 0; position < this.names.length; position++) {
      if (record[this.names[position]!] !== undefined) present |= 1 << position;
    }
    return present;
  }

  /** SQL: whether the staged row `s` has a property. */
  has(name: string): string {
    return `s.present & ${1 << this.names.indexOf(name)} <> 0`;
  }

  /** Returns the rows of one request. */
  request(): StagedProperties {
    return new StagedProperties(this, this.names);
  }
}

function typeOf(column: string): 'identifier' | 'text' {
  return column.startsWith('id') ? 'identifier' : 'text';
}

/** The properties of all records of one request. */
export class StagedProperties {
  /** Bits of the properties that every record has. Their stored values do not matter. */
  private everywhere = -1;

  constructor(
    private readonly presence: Presence,
    private readonly names: readonly string[],
  ) {}

  /** Returns a record's values of `Presence.columns`. */
  row(record: Record<string, unknown>): StagedRow {
    const present = this.presence.of(record);
    this.everywhere &= present;
    return [present, ...this.names.map((name) => record[name] as string | null | undefined)];
  }

  /**
   * Returns the SQL of each column's new value. Call it after the last `row`.
   *
   * @param isLarge whether the SQL is for these rows only. Otherwise it is the same for all rows.
   */
  values(isLarge: boolean): Record<string, ColumnValue> {
    return Object.fromEntries(
      this.names.map((name, position) => {
        const column = snakeCase(name);
        const isEverywhere = isLarge && this.everywhere & (1 << position);
        const update = isEverywhere
          ? `s.${column}`
          : `CASE WHEN ${this.presence.has(name)} THEN s.${column} ELSE t.${column} END`;
        return [column, { update, insert: `s.${column}` }];
      }),
    );
  }
}
