import { Injectable } from '@nestjs/common';
import { PAGE_BYTES, type Position, upToPage, wireTimestamp } from '../database/json-items';
import { ADMINISTRATION } from '../database/scope';
import { Transactions } from '../database/transactions';
import { ATTEST } from './audited-action';
import type { ChainedEntry, ChainEnd, SealedEnd } from './chain';

/** The stored end of a chain, and the date and ids of the next entries. */
export interface Head extends SealedEnd {
  /** Time read after locking the chain. */
  readonly date: string;
  /** Ids for the next entries, in their order. */
  readonly ids: readonly string[];
}

/** Filters of the list. */
export interface JournalFilter {
  readonly depuis?: Date | null;
  /** Entries after this moment, and before the other. */
  readonly apres?: Date | null;
  readonly avant?: Date | null;
  readonly objetId?: string | null;
  readonly action?: string | null;
  readonly cleId?: string | null;
  /** The oldest entry comes first if absent. */
  readonly ordre?: 'asc' | 'desc' | null;
}

const ENTRY = `numero::float8 AS numero, id_unique AS id, ${wireTimestamp('date_creation')} AS date, cle_id AS "cleId", action,
  objet_id AS "objetId", requete_id AS "requeteId", detail::text AS detail, empreinte, cle_secrets AS "cleSecrets"`;

/** The columns of `ENTRY`. */
const ENTRY_COLUMNS = [
  'detail',
  ...['numero', 'id', 'date', '"cleId"', 'action', '"objetId"', '"requeteId"', 'empreinte', '"cleSecrets"'],
] as const;

/** Entries of a space in the order of a list. */
export interface EntriesOfSpace {
  readonly entries: readonly ChainedEntry[];
  /** Whether their bytes have ended them, so others may follow. */
  readonly isCut: boolean;
}

/** Finds the spaces of all trails of a database, as its superuser. */
export const TRAILS =
  'SELECT tenant_id AS space FROM journal_tete UNION SELECT tenant_id FROM journal ORDER BY 1';

/** Entries of the audit trail, and where each space's chain ends. */
@Injectable()
export class JournalRepository {
  constructor(private readonly transactions: Transactions) {}

  async insertHead(space: string, { numero, empreinte, sceau, cleSecrets }: SealedEnd): Promise<void> {
    await this.transactions.client().query(
      `INSERT INTO journal_tete (tenant_id, numero, empreinte, sceau, cle_secrets) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [space, numero, empreinte, sceau, cleSecrets],
    );
  }

  /** Holds the end of the chain until the transaction ends; one that is missing is made, without a seal. */
  async lockHead(space: string, entries: number): Promise<Head> {
    for (;;) {
      // The time is read after the row is locked, because dates must be in the order of the chain.
      const { rows } = await this.transactions.client().query<Head>({
        name: 'journal_lock',
        text: `WITH head AS MATERIALIZED (SELECT * FROM journal_tete WHERE tenant_id = $1 FOR UPDATE)
          SELECT numero::float8 AS numero, empreinte, sceau, cle_secrets AS "cleSecrets", ${wireTimestamp('clock_timestamp()')} AS date,
            ARRAY(SELECT uuidv7() FROM generate_series(1, $2 + 0 * numero)) AS ids FROM head`,
        values: [space, entries],
      });
      if (rows[0]) return rows[0];
      const none = Buffer.alloc(0);
      await this.insertHead(space, { numero: 0, empreinte: none, sceau: none, cleSecrets: null });
    }
  }

  /** @returns false where the last entry that is there is not that of number `known`; nothing is written then */
  async append(
    space: string,
    known: number,
    entries: readonly ChainedEntry[],
    { numero, empreinte, sceau, cleSecrets }: SealedEnd,
  ): Promise<boolean> {
    const column = (pick: (entry: ChainedEntry) => unknown): unknown[] => entries.map(pick);
    const { rowCount } = await this.transactions.client().query({
      name: 'journal_append',
      text: `WITH added AS (
          INSERT INTO journal (tenant_id, numero, id_unique, date_creation, cle_id, action, objet_id, requete_id, detail, empreinte,
            cle_secrets)
          SELECT $1, e.* FROM unnest($3::bigint[], $4::uuid[], $5::timestamptz[], $6::uuid[], $7::text[], $8::uuid[], $9::text[],
            $10::json[], $11::bytea[], $15::text[]) e
          WHERE $2 = (SELECT coalesce(max(j.numero), 0) FROM journal j WHERE j.tenant_id = $1)
          RETURNING 1
        )
        UPDATE journal_tete SET numero = $12, empreinte = $13, sceau = $14, cle_secrets = $16
        WHERE tenant_id = $1 AND EXISTS (SELECT FROM added)`,
      values: [
        space,
        known,
        column((entry) => entry.numero),
        column((entry) => entry.id),
        column((entry) => entry.date),
        column((entry) => entry.cleId),
        column((entry) => entry.action),
        column((entry) => entry.objetId),
        column((entry) => entry.requeteId),
        column((entry) => entry.detail),
        column((entry) => entry.empreinte),
        numero,
        empreinte,
        sceau,
        column((entry) => entry.cleSecrets),
        cleSecrets,
      ],
    });
    return rowCount !== 0;
  }

  /** The last entry that is there. */
  async last(space: string): Promise<ChainEnd | undefined> {
    const rows = await this.transactions.query<{ numero: number; empreinte: Buffer | null }>(
      { tenantId: space },
      {
        text: `SELECT numero::float8 AS numero, empreinte FROM journal
          WHERE tenant_id = $1 AND numero IS NOT NULL ORDER BY numero DESC LIMIT 1`,
        values: [space],
      },
    );
    return rows[0] && { numero: rows[0].numero, empreinte: rows[0].empreinte ?? Buffer.alloc(32) };
  }

  /** The end as it is kept, and how many entries there are at that moment. */
  async head(space: string): Promise<(SealedEnd & { count: number }) | undefined> {
    const rows = await this.transactions.query<SealedEnd & { count: number }>(
      { tenantId: space },
      {
        name: 'journal_head',
        text: `SELECT numero::float8 AS numero, empreinte, sceau, cle_secrets AS "cleSecrets",
            (SELECT count(*) FROM journal j WHERE j.tenant_id = $1)::float8 AS count
          FROM journal_tete WHERE tenant_id = $1`,
        values: [space],
      },
    );
    return rows[0];
  }

  /**
   * Whether a key proves the whole trail: it sealed the end, and wrote or attested every entry.
   *
   * @param cleSecrets id of the key
   */
  async isProvenBy(space: string, cleSecrets: string): Promise<boolean> {
    const rows = await this.transactions.query<{ proven: boolean }>(
      { tenantId: space },
      {
        name: 'journal_proven',
        text: `SELECT t.cle_secrets IS NOT DISTINCT FROM $2 AND NOT EXISTS (
            SELECT FROM journal j WHERE j.tenant_id = $1 AND j.cle_secrets IS DISTINCT FROM $2 AND j.numero > coalesce(
              (SELECT max(a.numero) FROM journal a WHERE a.tenant_id = $1 AND a.action = $3 AND a.cle_secrets = $2), 0)
          ) AS proven
          FROM journal_tete t WHERE t.tenant_id = $1`,
        values: [space, cleSecrets, ATTEST],
      },
    );
    return rows[0]?.proven ?? false;
  }

  /** Stores that all trails were verified, and how many had faults. */
  async noteVerification(trails: number, faulty: number): Promise<void> {
    const text = 'INSERT INTO verification_journal (pistes, fautives) VALUES ($1, $2)';
    await this.transactions.execute(ADMINISTRATION, { text, values: [trails, faulty] });
  }

  /** Returns the last verification: its age in seconds, and the number of trails with faults. Empty before the first one. */
  lastVerification(): Promise<{ readonly age: number; readonly faulty: number }[]> {
    return this.transactions.query(ADMINISTRATION, {
      name: 'journal_last_verification',
      text: `SELECT extract(epoch FROM clock_timestamp() - date)::float8 AS age, fautives AS faulty
        FROM verification_journal ORDER BY date DESC LIMIT 1`,
      values: [],
    });
  }

  /** Entries behind a number, up to another, in the order of the chain. */
  async chained(space: string, after: number, until: number, limit: number): Promise<ChainedEntry[]> {
    return this.transactions.query<ChainedEntry>(
      { tenantId: space },
      {
        name: 'journal_chained',
        text: `SELECT ${ENTRY} FROM journal WHERE tenant_id = $1 AND numero > $2 AND numero <= $3
          ORDER BY journal.numero LIMIT $4`,
        values: [space, after, until, limit],
      },
    );
  }

  /** Entries of a space up to `PAGE_BYTES` of details and one more; those of before the chain are left out. */
  async list(
    space: string,
    { depuis, apres, avant, objetId, action, cleId, ordre }: JournalFilter,
    after: Position | undefined,
    limit: number,
  ): Promise<EntriesOfSpace> {
    const values: unknown[] = [space, limit];
    const place = (value: unknown): string => `$${values.push(value)}`;
    const [follows, direction] = ordre === 'desc' ? ['<', 'DESC'] : ['>', 'ASC'];
    const conditions = [
      'tenant_id = $1 AND numero IS NOT NULL',
      ...(objetId ? [`objet_id = ${place(objetId)}`] : []),
      ...(action ? [`action = ${place(action)}`] : []),
      ...(cleId ? [`cle_id = ${place(cleId)}`] : []),
      ...(depuis ? [`date_creation >= ${place(depuis)}`] : []),
      ...(apres ? [`date_creation > ${place(apres)}`] : []),
      ...(avant ? [`date_creation < ${place(avant)}`] : []),
      ...(after ? [`(date_creation, id_unique) ${follows} (${place(after.date)}, ${place(after.id)})`] : []),
    ];
    const rows = `SELECT ${ENTRY} FROM journal WHERE ${conditions.join(' AND ')}
      ORDER BY date_creation ${direction}, id_unique ${direction} LIMIT $2`;
    const entries = await this.transactions.query<ChainedEntry>(
      { tenantId: space },
      { text: upToPage(rows, ENTRY_COLUMNS), values },
    );
    const bytes = entries.reduce((sum, { detail }) => sum + Buffer.byteLength(detail ?? ''), 0);
    return { entries, isCut: bytes >= PAGE_BYTES };
  }
}
