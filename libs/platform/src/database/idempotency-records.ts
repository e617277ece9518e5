import { Injectable } from '@nestjs/common';
import type { SealedColumn } from './sealed-columns';
import { oldestRows, PURGE_BATCH } from './oldest-rows.sql';
import { type ADMINISTRATION, OWN_CELL, type Scope } from './scope';
import { Transactions } from './transactions';

/** Where recorded answers are encrypted. */
export const IDEMPOTENCY_SEALED: SealedColumn = {
  table: 'idempotency_record',
  key: 'idempotency_key',
  keyType: 'text',
  column: 'sealed_body',
  context: (tenantId, key) => `idempotency ${tenantId} ${key}`,
};

/** Bytes above which an answer or a part of one is long. Shorter ones hardly take more than their request has written. */
export const LONG_ANSWER = 65_536;

/** Record of a request under its key: a hash of request and caller, and the encrypted response. */
interface IdempotencyRecord {
  status: number;
  headers: Record<string, string>;
  fingerprint: Buffer;
  sealedBody: Buffer;
}

/** Answers under their `Idempotency-Key`, kept for 24 h; part of the ambient transaction. */
@Injectable()
export class IdempotencyRecords {
  constructor(private readonly transactions: Transactions) {}

  /** Takes the key until the transaction ends; false if another request is running under it. */
  async lock(tenantId: string, key: string): Promise<boolean> {
    const { rows } = await this.transactions.client().query<{ locked: boolean }>({
      name: 'idempotency_lock',
      text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 1)) AS locked',
      values: [`${tenantId} ${key}`],
    });
    return rows[0]?.locked ?? false;
  }

  /** @returns also the number of parts of a long body, which have records of their own: the key, a line break and the place */
  async find(tenantId: string, key: string): Promise<(IdempotencyRecord & { parts: number }) | undefined> {
    const { rows } = await this.transactions.client().query<IdempotencyRecord & { parts: number }>({
      name: 'idempotency_find',
      // Parts of an expired record under the same key may not be purged yet.
      text: `SELECT fingerprint, status, headers, sealed_body AS "sealedBody", (
               SELECT count(*)::int FROM idempotency_record p
               WHERE p.tenant_id = $1 AND p.idempotency_key > $2 || E'\\n' AND p.idempotency_key < $2 || E'\\x0b'
                 AND p.date_creation = r.date_creation) AS parts
             FROM idempotency_record r
             WHERE tenant_id = $1 AND idempotency_key = $2 AND date_creation > now() - interval '24 hours'`,
      values: [tenantId, key],
    });
    return rows[0];
  }

  /** Returns the encrypted part of a body, outside the transaction of the record. */
  async part(scope: Scope, tenantId: string, key: string): Promise<Buffer | undefined> {
    const [row] = await this.transactions.query<{ sealed: Buffer }>(scope, {
      name: 'idempotency_part',
      text: 'SELECT sealed_body AS sealed FROM idempotency_record WHERE tenant_id = $1 AND idempotency_key = $2',
      values: [tenantId, key],
    });
    return row?.sealed;
  }

  /** Returns the bytes of a tenant's long answers. @see LONG_ANSWER */
  async longBytes(tenantId: string): Promise<number> {
    const { rows } = await this.transactions.client().query<{ bytes: number }>({
      name: 'idempotency_bytes',
      text: `SELECT coalesce(sum(octet_length(sealed_body)), 0)::float8 AS bytes FROM idempotency_record
             WHERE tenant_id = $1 AND octet_length(sealed_body) > ${LONG_ANSWER}
               AND date_creation > now() - interval '24 hours'`,
      values: [tenantId],
    });
    return rows[0]!.bytes;
  }

  /** Stores a part of the body of a record that the ambient transaction has added. */
  async addPart(tenantId: string, key: string, sealedBody: Buffer): Promise<void> {
    await this.add(tenantId, key, { fingerprint: Buffer.alloc(0), status: 0, headers: {}, sealedBody });
  }

  async add(
    tenantId: string,
    key: string,
    { fingerprint, status, headers, sealedBody }: IdempotencyRecord,
  ): Promise<void> {
    await this.transactions.client().query({
      name: 'idempotency_add',
      // The key may have an expired record that the worker has not purged yet.
      text: `INSERT INTO idempotency_record (tenant_id, idempotency_key, fingerprint, status, headers, sealed_body)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (tenant_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint,
               status = excluded.status, headers = excluded.headers, sealed_body = excluded.sealed_body,
               date_creation = now()`,
      values: [tenantId, key, fingerprint, status, JSON.stringify(headers), sealedBody],
    });
  }

  /**
   * Removes records that are older than 24 h, a batch of them at most; answers how many.
   *
   * @param spaces of the worker's cell, or `NO_TENANT` in administration
   */
  async purgeExpired(
    spaces: readonly string[],
    scope: typeof OWN_CELL | typeof ADMINISTRATION = OWN_CELL,
  ): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(scope, {
      name: 'idempotency_purge',
      text: `WITH expired AS (
               SELECT r.tenant_id, r.idempotency_key FROM idempotency_record r
               JOIN (${oldestRows('idempotency_record', 'idempotency_key', 'date_creation', '24 hours')}) o
                 ON r.tenant_id = o.tenant_id AND r.idempotency_key = o.idempotency_key
               FOR UPDATE OF r SKIP LOCKED
             ), removed AS (
               DELETE FROM idempotency_record r USING expired e
               WHERE r.tenant_id = e.tenant_id AND r.idempotency_key = e.idempotency_key
                 AND r.date_creation < now() - interval '24 hours' RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [spaces, PURGE_BATCH],
    });
    return rows[0]?.count ?? 0;
  }
}
