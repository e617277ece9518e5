import { createHash } from 'node:crypto';
import type { PoolClient, QueryResultRow } from 'pg';
import { FRESH_PLANS } from '../database/fresh-plans.sql';
import { inOneTrip } from '../database/one-trip';
import { keepStatistics } from './keep-statistics';
import type { Stage } from './stage';

/** A statement over stages; `R` is a row of its result. Over few rows its text must be one of a few. */
export interface StagedStatement<R = QueryResultRow> {
  readonly text: string;
  readonly values: readonly (string | number)[];
  /** A stage without whose rows the statement does nothing: it is left out if there are none. */
  readonly over?: Stage;
  /** The table that it writes and the maximum number of rows, for `keepStatistics`. */
  readonly writes?: { readonly table: string; readonly rows: number };
  /** Never present. */
  readonly row?: R;
}

/** Statements by the names of their results. An absent one, or one over no rows, has no rows. */
type Steps = Readonly<Record<string, StagedStatement | undefined>>;
type RowsOf<S extends Steps> = {
  readonly [N in keyof S]: NonNullable<S[N]> extends StagedStatement<infer R> ? readonly R[] : never;
};

/**
 * Runs statements over the stages of a request, once these are filled. Over few rows they are prepared and sent together: to parse, plan
 * and await them takes several times as long as to run them. Over many rows each is planned for them.
 */
export class StagedStatements {
  /** Whether a stage has many rows. */
  readonly isLarge: boolean;

  constructor(
    private readonly client: PoolClient,
    stages: readonly Stage[],
  ) {
    this.isLarge = stages.some(({ hasMany }) => hasMany);
  }

  /** A step between writing rows and writing rows that refer to them. */
  get freshPlans(): StagedStatement | undefined {
    return this.isLarge ? { text: FRESH_PLANS, values: [] } : undefined;
  }

  /** Runs statements in the order of `steps`. @returns the rows of each */
  async run<S extends Steps>(steps: S): Promise<RowsOf<S>> {
    const present = Object.entries(steps).flatMap(([step, statement]) =>
      statement && statement.over?.count !== 0 ? [{ step, ...statement }] : [],
    );
    const results = await (this.isLarge ? this.oneByOne(present) : this.together(present));
    const rows = new Map(present.map(({ step }, index) => [step, results[index]]));
    return Object.fromEntries(
      Object.keys(steps).map((step) => [step, rows.get(step) ?? []]),
    ) as unknown as RowsOf<S>;
  }

  private async oneByOne(statements: readonly StagedStatement[]): Promise<QueryResultRow[][]> {
    const results: QueryResultRow[][] = [];
    for (const { text, values, writes } of statements) {
      if (writes) await keepStatistics(this.client, writes.table, writes.rows);
      results.push((await this.client.query<QueryResultRow>(text, [...values])).rows);
    }
    return results;
  }

  private async together(
    statements: readonly (StagedStatement & { readonly step: string })[],
  ): Promise<QueryResultRow[][]> {
    const named = statements.map(({ step, text, values }) => ({ name: nameOf(step, text), text, values }));
    return (await inOneTrip(this.client, named)).map(({ rows }) => rows as QueryResultRow[]);
  }
}

const digests = new Map<string, string>();

/** The name of a prepared statement, which no other text has. Traces show it. */
function nameOf(step: string, text: string): string {
  let digest = digests.get(text);
  if (digest === undefined) {
    digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
    digests.set(text, digest);
  }
  return `staged_${step}_${digest}`;
}
