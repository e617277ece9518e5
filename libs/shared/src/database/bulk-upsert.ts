import { from as copyFrom } from 'pg-copy-streams';
import type { PoolClient } from 'pg';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { RecordDefinition } from '../records/field';
import { RecordValidator } from '../records/record-validator';
import { snakeCase } from './connections';

/** A record that was not accepted: its place in the list sent, its identifier as sent, and why. */
export interface Refusal {
  readonly index: number;
  readonly idExterne: string;
  readonly message: string;
}

/** `created + updated + refusals.length` is the number of records sent; unchanged ones count as updated. */
export interface BulkResult {
  readonly created: number;
  readonly updated: number;
  readonly refusals: Refusal[];
}

interface Staged {
  readonly staged: number;
  /** Bits of the properties that every staged record has. */
  readonly everywhere: number;
  readonly refusals: Refusal[];
}

/** Records checked between two chances for other requests to run. */
const SLICE = 500;
const COPY_CHUNK_BYTES = 64 * 1024;

/**
 * Upserts any number of records into one table, by their external identifier, with a fixed number of statements: COPY
 * into a temporary table, then MERGE. A property that a record does not have keeps its stored value; null clears it.
 * A row that would not change is not rewritten.
 */
export class BulkUpsert<D extends RecordDefinition> {
  private readonly validator: RecordValidator<D>;
  private readonly names: string[];
  private readonly columns: string[];
  private readonly stage: string;

  /**
   * @param table has a column for each field, named in snake_case, beside `tenant_id`, `derniere_maj` and `id_externe`
   * @param refusals SQL that selects `n` and `message` of staged records that a rule refuses; `$1` is the tenant
   *   and `stage` the staged records
   */
  constructor(
    private readonly table: string,
    definition: D,
    private readonly refusals?: string,
  ) {
    this.validator = new RecordValidator(definition);
    this.names = Object.keys(definition).filter((name) => definition[name]?.kind !== 'readOnly');
    this.columns = this.names.map(snakeCase);
    this.stage = `stage_${table}`;
  }

  /** @param client the connection of the ambient transaction */
  async run(client: PoolClient, tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    const walk = records[Symbol.iterator]();
    const first = walk.next();
    if (first.done) return { created: 0, updated: 0, refusals: [] };
    const columns = this.columns.map(
      (column) => `${column} text${column.startsWith('id') ? ' COLLATE "C"' : ''}`,
    );
    await client.query(
      `CREATE TEMPORARY TABLE ${this.stage} (n integer, present integer, ${columns.join(', ')}) ON COMMIT DROP`,
    );
    const { staged, everywhere, refusals } = await this.copy(client, first, walk);
    await client.query(`ANALYZE ${this.stage}`);
    const refused = await this.refuse(client, tenantId);
    const created = await this.merge(client, tenantId, everywhere);
    await client.query(`DROP TABLE ${this.stage}`);
    return {
      created,
      updated: staged - refused.length - created,
      refusals: [...refusals, ...refused].sort((a, b) => a.index - b.index),
    };
  }

  private async copy(
    client: PoolClient,
    first: IteratorResult<unknown>,
    walk: Iterator<unknown>,
  ): Promise<Staged> {
    const refusals: Refusal[] = [];
    const seen = new Set<string>();
    const stream = client.query(copyFrom(`COPY ${this.stage} FROM STDIN`));
    const done = finished(stream);
    // A failure of the stream is reported where `done` is awaited.
    done.catch(() => undefined);
    let index = 0;
    let staged = 0;
    let everywhere = -1;
    let chunk = '';
    try {
      for (let step = first; !step.done; step = walk.next()) {
        const record: unknown = step.value;
        const checked = this.validator.check(record);
        const { values } = checked;
        const idExterne = values
          ? (values as unknown as { idExterne: string }).idExterne
          : identifierOf(record);
        if (idExterne !== '' && seen.has(idExterne)) {
          refusals.push({ index, idExterne, message: 'appears twice in this request; the first one counts' });
        } else if (values) {
          const present = this.presence(values);
          everywhere &= present;
          chunk += this.line(index, present, values);
          staged++;
        } else {
          refusals.push({ index, idExterne, message: checked.fault ?? '' });
        }
        if (idExterne !== '') seen.add(idExterne);
        if (chunk.length >= COPY_CHUNK_BYTES) {
          if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), done]);
          chunk = '';
        }
        if (++index % SLICE === 0) await new Promise(setImmediate);
      }
    } catch (error) {
      // The connection must not stay in the middle of a COPY: the transaction's rollback needs it.
      stream.destroy(error as Error);
      await done.catch(() => undefined);
      throw error;
    }
    stream.end(chunk);
    await done;
    return { staged, everywhere, refusals };
  }

  /** One line of COPY's text format: place, bits of the properties that are present, values. */
  private line(index: number, present: number, values: Record<string, unknown>): string {
    let fields = '';
    for (const name of this.names) {
      const value = values[name];
      fields += value == null ? '\t\\N' : `\t${escapeCopy(value as string)}`;
    }
    return `${index}\t${present}${fields}\n`;
  }

  /** One bit for each property, set where the record has it. */
  private presence(values: Record<string, unknown>): number {
    let present = 0;
    for (let position = 0; position < this.names.length; position++) {
      if (values[this.names[position]!] !== undefined) present |= 1 << position;
    }
    return present;
  }

  private async refuse(client: PoolClient, tenantId: string): Promise<Refusal[]> {
    if (!this.refusals) return [];
    const { rows } = await client.query<Refusal>(
      `WITH stage AS (SELECT * FROM ${this.stage}), refused AS (${this.refusals}), removed AS (
         DELETE FROM ${this.stage} s USING refused WHERE s.n = refused.n RETURNING s.n, s.id_externe
       ) SELECT n AS index, id_externe AS "idExterne", message FROM refused JOIN removed USING (n)`,
      [tenantId],
    );
    return rows;
  }

  /** @param everywhere bits of the properties that every staged record has, and whose stored values thus do not matter */
  private async merge(client: PoolClient, tenantId: string, everywhere: number): Promise<number> {
    const written = this.columns.filter((column) => column !== 'id_externe');
    const value = (column: string): string => {
      const bit = 1 << this.columns.indexOf(column);
      if (everywhere & bit) return `s.${column}`;
      return `CASE WHEN s.present & ${bit} <> 0 THEN s.${column} ELSE t.${column} END`;
    };
    const current = written.map((column) => `t.${column}`).join(', ');
    const next = written.map(value).join(', ');
    const { rows } = await client.query<{ created: number }>(
      // In the order of the key: two requests that write the same rows lock them in the same order.
      `WITH merged AS (
         MERGE INTO ${this.table} t
         USING (SELECT * FROM ${this.stage} ORDER BY id_externe) s
         ON t.tenant_id = $1 AND t.id_externe = s.id_externe
         WHEN MATCHED AND (${current}) IS DISTINCT FROM (${next}) THEN
           UPDATE SET ${written.map((column) => `${column} = ${value(column)}`).join(', ')}, derniere_maj = clock_timestamp()
         WHEN NOT MATCHED THEN
           INSERT (tenant_id, ${this.columns.join(', ')}) VALUES ($1, ${this.columns.map((column) => `s.${column}`).join(', ')})
         RETURNING merge_action() AS action
       ) SELECT count(*) FILTER (WHERE action = 'INSERT')::int AS created FROM merged`,
      [tenantId],
    );
    return rows[0]!.created;
  }
}

/** The identifier of a record that could not be read, if it has a usable one; "" otherwise (decisions, section 6). */
function identifierOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) return '';
  const { idExterne, IdExterne } = record as { idExterne?: unknown; IdExterne?: unknown };
  const sent = idExterne ?? IdExterne;
  return typeof sent === 'string' ? sent.toWellFormed().trim() : '';
}

const COPY_SPECIAL = /[\\\b\f\n\r\t\v]/;
const COPY_ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function escapeCopy(value: string): string {
  return COPY_SPECIAL.test(value)
    ? value.replace(/[\\\b\f\n\r\t\v]/g, (character) => COPY_ESCAPES[character]!)
    : value;
}
