import { Injectable } from '@nestjs/common';
import { HEADER_BYTES, keyIdOf, SecretBox } from '../ops/secret-box';
import { ADMINISTRATION, NO_TENANT, type Scope } from './scope';
import { Transactions } from './transactions';

/** A column of encrypted values. */
export interface SealedColumn {
  readonly table: string;
  /** Column that, with the tenant, identifies a row, and its type. */
  readonly key: string;
  readonly keyType: 'uuid' | 'text';
  readonly column: string;
  /** The context of a row's value, see `SecretBox`. */
  readonly context: (tenantId: string, key: string) => string;
}

/** Rows that one transaction locks. A recorded response may have some megabytes. */
const BATCH = 20;

/** Encrypts stored values again with the newest key of SECRETS_KEY. */
@Injectable()
export class SealedColumns {
  constructor(
    private readonly transactions: Transactions,
    private readonly box: SecretBox,
  ) {}

  /**
   * Encrypts the values of one tenant again that another key encrypted. Waits for no lock: a row that is locked is left out.
   *
   * @param tenantId `NO_TENANT` for rows that administration owns
   * @returns how many were encrypted again
   */
  async reseal(tenantId: string, column: SealedColumn): Promise<number> {
    let count = 0;
    let after: string | undefined;
    for (;;) {
      // A transaction may run again after a deadlock, so it only returns what it did.
      const batch = await this.transactions.run(scopeOf(tenantId), () => this.batch(tenantId, column, after));
      count += batch.count;
      after = batch.last;
      if (after === undefined) return count;
    }
  }

  /** Returns how many values of one tenant other keys encrypted, by the ids of these keys. */
  async remaining(tenantId: string, { table, column }: SealedColumn): Promise<Map<string | null, number>> {
    const rows = await this.transactions.query<{ header: Buffer; count: number }>(scopeOf(tenantId), {
      text: `SELECT substring(${column} FROM 1 FOR ${HEADER_BYTES}) AS header FROM ${table}
        WHERE tenant_id = $1 AND substring(${column} FROM 1 FOR octet_length($2::bytea)) <> $2`,
      values: [tenantId, this.box.header],
    });
    const ids = Map.groupBy(rows, ({ header }) => keyIdOf(header));
    return new Map([...ids].map(([id, all]) => [id, all.length]));
  }

  private async batch(
    tenantId: string,
    { table, key, keyType, column, context }: SealedColumn,
    after: string | undefined,
  ): Promise<{ count: number; last: string | undefined }> {
    const client = this.transactions.client();
    const { rows } = await client.query<{ key: string; sealed: Buffer }>(
      `SELECT ${key}::text AS key, ${column} AS sealed FROM ${table}
       WHERE tenant_id = $1 AND ($2::text IS NULL OR ${key} > $2::${keyType})
         AND substring(${column} FROM 1 FOR octet_length($3::bytea)) <> $3
       ORDER BY ${key} LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED`,
      [tenantId, after, this.box.header],
    );
    const resealed = rows.flatMap((row) => {
      try {
        const plain = this.box.open(row.sealed, context(tenantId, row.key));
        return [{ key: row.key, sealed: this.box.seal(plain, context(tenantId, row.key)) }];
      } catch {
        // The key of this value is missing, or the value was altered: `remaining` counts it.
        return [];
      }
    });
    await client.query(
      `UPDATE ${table} t SET ${column} = n.sealed FROM unnest($2::${keyType}[], $3::bytea[]) n (key, sealed)
       WHERE t.tenant_id = $1 AND t.${key} = n.key`,
      [tenantId, resealed.map((one) => one.key), resealed.map(({ sealed }) => sealed)],
    );
    return { count: resealed.length, last: rows.length < BATCH ? undefined : rows.at(-1)!.key };
  }
}

function scopeOf(tenantId: string): Scope {
  return tenantId === NO_TENANT ? ADMINISTRATION : { tenantId };
}
