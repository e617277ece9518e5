import { Client } from 'pg';
import { entering, type Prelude } from '../../libs/platform/src/database/entered-query';
import type { Statement } from '../../libs/platform/src/database/one-trip';
import { APP_ROLE } from '../../libs/platform/src/database/roles';
import type { TestApp } from '../setup/test-app';

/** A node of EXPLAIN's JSON with the properties that tests use. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Subplan Name'?: string;
  /** Means over the loops. */
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the statements that this process sends to PostgreSQL while `work` runs, as pg sends them. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const spy = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    return spy.mock.calls
      .map(([statement]) => statement as unknown as Partial<Statement> | string)
      .filter((statement): statement is Statement => typeof statement === 'object' && 'text' in statement);
  } finally {
    spy.mockRestore();
  }
}

/**
 * Returns the plan of a prepared statement, run with the application's role in the tenant. It is the plan of the
 * `execution`th time: from the sixth on PostgreSQL may use a generic plan.
 *
 * @param before settings that go before it
 */
export function planOf(
  app: TestApp,
  tenantId: string,
  { text, values }: Statement,
  execution: number,
  before: readonly Prelude[] = [],
): Promise<PlanNode> {
  return explained(app, tenantId, { text, values }, execution, before);
}

/** Returns the plan of a statement that the service sends alone: one with a name is planned for all values (`entering`). */
export function planAlone(
  app: TestApp,
  tenantId: string,
  statement: Statement,
  before: readonly Prelude[] = [],
): Promise<PlanNode> {
  return explained(app, tenantId, statement, 1, before);
}

async function explained(
  app: TestApp,
  tenantId: string,
  { name, text, values }: Statement,
  execution: number,
  before: readonly Prelude[],
): Promise<PlanNode> {
  const client = await app.connect('-c jit=off -c timezone=UTC');
  try {
    await client.query('BEGIN');
    await client.query(entering([APP_ROLE, tenantId, 'on', ''], name));
    for (const one of before) await client.query({ ...one, values: [...one.values] });
    await client.query(`PREPARE examined AS ${text}`);
    const given = values.map((value) => (value == null ? 'NULL' : client.escapeLiteral(literal(value))));
    const explain = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE examined (${given.join(', ')})`;
    for (let earlier = 1; earlier < execution; earlier++) await client.query(explain);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain);
    return rows[0]!['QUERY PLAN'][0].Plan;
  } finally {
    await client.end();
  }
}

/** A value as PostgreSQL reads it from text. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map((one) => JSON.stringify(literal(one))).join(',')}}`;
  return value instanceof Date ? value.toISOString() : String(value);
}

export function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Counts the rows that the scans of a plan have read, filtered out or not. */
export function rowsRead(plan: PlanNode, tables: readonly string[]): number {
  return nodesOf(plan)
    .filter((node) => tables.includes(node['Relation Name'] ?? ''))
    .reduce((sum, node) => {
      const looked =
        node['Actual Rows'] +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0);
      return sum + looked * node['Actual Loops'];
    }, 0);
}
