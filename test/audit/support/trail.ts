import { Chain, type ChainEnd, type JournalEntry } from '../../../libs/platform/src/audit/chain';
import {
  type Anchor,
  JournalVerification,
  type Verified,
} from '../../../libs/platform/src/audit/verification';
import { JournalRepository } from '../../../libs/platform/src/audit/journal.repository';
import type { KeyRing } from '../../../libs/platform/src/ops/key-ring';
import type { TestApp, TestTenant } from '../../setup/test-app';

/** A row of the trail, as a superuser reads it. */
export type Row = JournalEntry & { readonly empreinte: Buffer };

const COLUMNS = `numero::float8 AS numero, id_unique AS id, cle_id AS "cleId", action, objet_id AS "objetId",
  requete_id AS "requeteId", detail::text AS detail, empreinte, to_char(date_creation AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS date`;

/** The audit trails of a database, for an attacker who may write anything to it. */
export class Trail {
  constructor(
    private readonly app: TestApp,
    readonly tenant: TestTenant,
  ) {}

  verify(space = this.tenant.tenantId, anchor?: Anchor): Promise<Verified> {
    return this.app.app.get(JournalVerification).verify(space, anchor);
  }

  /** Verifies them with another key. */
  verifyWith(secretsKey: KeyRing): Promise<Verified> {
    const chain = new Chain(secretsKey);
    return new JournalVerification(this.app.app.get(JournalRepository), chain).verify(this.tenant.tenantId);
  }

  async rows(space = this.tenant.tenantId): Promise<Row[]> {
    const text = `SELECT ${COLUMNS} FROM journal WHERE tenant_id = $1 ORDER BY journal.numero`;
    return (await this.app.database.query<Row>(text, [space])).rows;
  }

  sql(text: string, ...values: unknown[]): Promise<unknown> {
    return this.app.database.query(text, values);
  }

  /** Makes entries by requests: employers that come, change and go. */
  async grow(count: number): Promise<void> {
    const send = (method: string, path: string, body?: object): Promise<{ status: number }> =>
      this.app.send(this.tenant, method, `/b2b/v1/employeur${path}`, body);
    for (let made = 0; made < count; made += 3) {
      const idExterne = `EMP-${made}`;
      const answers = [
        await send('POST', '', { idExterne, nom: `Usine ${made}` }),
        await send('PUT', '', { idExterne, nom: `Usine ${made} bis` }),
        await send('DELETE', `/${idExterne}`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 204]);
    }
  }

  /** Keeps all trails as they are now; the answer puts them back. */
  async keep(): Promise<() => Promise<void>> {
    await this.sql(`DROP TABLE IF EXISTS kept_journal, kept_tete;
      CREATE TABLE kept_journal AS TABLE journal; CREATE TABLE kept_tete AS TABLE journal_tete`);
    return async () => {
      await this.sql(`TRUNCATE journal, journal_tete; INSERT INTO journal TABLE kept_journal;
        INSERT INTO journal_tete TABLE kept_tete`);
    };
  }

  /** Writes the whole chain again with changed entries, which is possible with this key. */
  async forge(secretsKey: KeyRing, change: (entries: JournalEntry[]) => JournalEntry[]): Promise<void> {
    const chain = new Chain(secretsKey);
    const space = this.tenant.tenantId;
    const entries = change(await this.rows()).map((entry, index) => ({ ...entry, numero: index + 1 }));
    await this.sql('DELETE FROM journal WHERE tenant_id = $1', space);
    let end: ChainEnd = { numero: 0, empreinte: Buffer.alloc(32) };
    for (const entry of entries) {
      const empreinte = chain.link(space, end.empreinte, entry);
      await this.sql(
        `INSERT INTO journal (tenant_id, numero, id_unique, date_creation, cle_id, action, objet_id, requete_id, empreinte, detail)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        ...[space, entry.numero, entry.id, entry.date, entry.cleId, entry.action, entry.objetId],
        ...[entry.requeteId, empreinte, entry.detail],
      );
      end = { numero: entry.numero, empreinte };
    }
    await this.sql(
      'UPDATE journal_tete SET numero = $2, empreinte = $3, sceau = $4 WHERE tenant_id = $1',
      ...[space, end.numero, end.empreinte, chain.seal(space, end)],
    );
  }
}
