import type { Statement } from '../../../libs/platform/src/database/one-trip';
import type { Position } from '../../../libs/platform/src/database/json-items';
import { nodesOf, planAlone, rowsRead, statementsOf } from '../../membership/plans';
import { cursorAt } from '../../setup/cursor';
import type { TestApp, TestTenant } from '../../setup/test-app';

export type Filters = Readonly<Record<string, string>>;

/** A list in a data space of many rows: a row of test/contract/plans.e2e-spec.ts. */
export interface PlannedList {
  readonly what: string;
  /** Fills a large data space with the worst distribution for the filters, and a smaller one. */
  readonly open: (app: TestApp) => Promise<OpenedList>;
  /** Is in the text of its statement, and in no other. */
  readonly statement: RegExp;
  readonly tables: readonly string[];
  readonly limite: number;
  /** Maximum of the rows that a page may read. */
  readonly most: number;
  /** Values of each filter. They are combined. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Requests to this or another path, beside the combinations. */
  readonly also?: readonly Also[];
  /** Filters that PostgreSQL can plan before it has counted the rows. */
  readonly isPlannedUncounted?: (names: readonly string[]) => boolean;
  /** A page without one of these indexes must be a fault, or one whose statement is spoilt. */
  readonly controls: readonly Control[];
}

export interface Also {
  readonly at?: string;
  readonly filters: Filters;
}

export interface Control {
  readonly filters: Filters;
  readonly isFar?: boolean;
  readonly without?: readonly string[];
  readonly spoil?: (text: string) => string;
}

export interface OpenedList {
  readonly caller: TestTenant;
  readonly path: string;
  /** A position in the middle or near the end. */
  readonly far?: Position;
  /** Rows that the best index leads to until a page is full, where no index has all filters. */
  readonly leads?: (filters: Filters, isFar: boolean) => Promise<number>;
}

/** Returns each combination of values of the named filters. */
export function choices({ values = {} }: PlannedList, [name, ...rest]: readonly string[]): Filters[] {
  if (name === undefined) return [{}];
  const others = choices({ values } as PlannedList, rest);
  return others.flatMap((other) => values[name]!.map((value) => ({ [name]: value, ...other })));
}

/** Returns the only statement by which the service answers a page. */
export async function statementOf(
  app: TestApp,
  list: PlannedList,
  { caller, path, far }: OpenedList,
  filters: Filters,
  isFar = false,
): Promise<Statement> {
  const place: Filters = isFar ? { curseur: cursorAt(caller.tenantId, path, filters, far!) } : {};
  const query = new URLSearchParams({ ...filters, limite: `${list.limite}`, ...place }).toString();
  const sent = await statementsOf(async () => {
    expect((await app.send(caller, 'GET', `${path}?${query}`)).status).toBe(200);
  });
  const found = sent.filter(({ text }) => list.statement.test(text));
  expect(found).toHaveLength(1);
  return found[0]!;
}

/**
 * Returns the faults in the access paths of a statement. A bitmap of few rows
 * costs as much as an index scan, so the statistics of the day decide between them: only the rows that are read count.
 */
export async function planFaults(
  app: TestApp,
  { tables, most }: PlannedList,
  { caller }: OpenedList,
  statement: Statement,
  leads = 0,
): Promise<string[]> {
  const faults: string[] = [];
  const plan = await planAlone(app, caller.tenantId, statement);
  for (const node of nodesOf(plan))
    if (
      tables.includes(node['Relation Name'] ?? '') &&
      node['Actual Loops'] > 0 &&
      node['Node Type'] === 'Seq Scan'
    )
      faults.push(`${node['Node Type']} on ${node['Relation Name']}`);
  const read = rowsRead(plan, tables);
  if (read > Math.max(most, 2 * leads)) faults.push(`reads ${read} rows`);
  return faults;
}
