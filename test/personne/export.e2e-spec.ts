import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PersonFinder } from '../../libs/personne/src/application/person-finder';
import { partsOf } from '../../libs/personne/src/application/personnes.service';
import { PersonalDataRepository } from '../../libs/personne/src/persistence/personal-data.repository';
import { PERSONAL_DATA } from '../../libs/personne/src/persistence/personal-data.sql';
import { OLDEST_FIRST, type Person } from '../../libs/membership/src/relations';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { pngOf } from '../adhesion/support/png';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { Space } from './space';

const ROWS = PERSONAL_DATA.flatMap(({ rows }) => rows);
const MIB = 2 ** 20;
const ALL_ENTRIES = { numero: 1e9 };
const CARDS = 200;
const IMAGE_BYTES = 300 * 1_024;

const app = perFile(() => TestApp.own('sees all tenants'));

/** Gives the person cards with images. */
async function addCards(space: Space, cards: number): Promise<void> {
  const png = pngOf(IMAGE_BYTES);
  await app.database.query(
    `WITH added AS (
       INSERT INTO adhesion SELECT r.* FROM adhesion a, generate_series(1, $2::int) n,
         jsonb_populate_record(a, jsonb_build_object('id_unique', uuidv7(), 'transaction_id', 'T-' || n)) r
       WHERE a.id_externe_employe = $1
       RETURNING tenant_id, id_unique
     )
     INSERT INTO signature_manuscrite (tenant_id, adhesion_id, png) SELECT tenant_id, id_unique, $3 FROM added`,
    [space.one.idExterne, cards, png],
  );
}

/** Fills the sections that `Space.fill` leaves empty: a note about a deletion, and e-mails. */
async function fillRest(space: Space): Promise<void> {
  const { idExterne } = space.one;
  for (let time = 0; time < 2; time++) {
    await app.database.query(
      `INSERT INTO ancien_employe (tenant_id, id_externe, employes, lignes) VALUES ($1, $2, $3, '{}')`,
      [space.open.tenantId, idExterne, [randomUUID()]],
    );
    const message = { sujet: 'Avis', corpsHtml: '<p>Avis</p>', destinataires: { idExternes: [idExterne] } };
    await space.done(space.partner('POST', '/b2b/v2/courriel', message));
  }
}

async function found({ open: { tenantId }, one }: Space): Promise<Person> {
  const find = () => app.app.get(PersonFinder).find(tenantId, one.idExterne, false);
  return (await app.app.get(Transactions).run({ tenantId }, find))!;
}

/** The export as one value in memory: every section read whole by a superuser. */
async function whole(space: Space): Promise<string> {
  const person = await found(space);
  const sections: Record<string, object[]> = {};
  const ids = new Set(person.ids);
  for (const { section, table, where, named, shown, repeated = [] } of ROWS) {
    const others = Object.entries(shown ?? {}).map(([column, sql]) => `'${column}', ${sql}`);
    const values: Record<string, unknown> = { ...person, ...person.found, ids: [...ids], ...ALL_ENTRIES };
    const unshown = ['tenant_id', ...repeated].join(', ');
    const text = `SELECT to_jsonb(${table}) - '{${unshown}}'::text[] || jsonb_build_object(${others.join(', ')}) AS row
      FROM ${table} WHERE tenant_id = :tenantId AND ${where}${named ? ` AND ${named} >= :depuis AND ${named} < :jusqua` : ''}
      ORDER BY to_jsonb(${table}) ->> 'date_creation', to_jsonb(${table}) ->> 'id_unique'`;
    const rowsOf = async (known: Record<string, unknown>) => {
      const sent: unknown[] = [];
      const placed = text.replace(
        /(?<![:\w]):([a-zA-Z]+)/g,
        (_all, name: string) => `$${sent.push(known[name])}`,
      );
      return (await app.database.query<{ row: Record<string, unknown> }>(placed, sent)).rows;
    };
    const rows = [];
    for (const tenure of named ? person.tenures : [undefined])
      rows.push(
        ...(await rowsOf(
          tenure ? { ...values, ...tenure, idUrl: encodeURIComponent(tenure.idExterne) } : values,
        )),
      );
    const shownRows = rows.map(({ row }) => {
      if (typeof row.id_unique === 'string') ids.add(row.id_unique);
      const onTheWire = Object.entries(row).map(([column, value]) => [
        column.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase()),
        typeof value === 'string' && value.endsWith('+00:00') ? new Date(value).toISOString() : value,
      ]);
      return Object.fromEntries(onTheWire) as object;
    });
    sections[section] = [...(sections[section] ?? []), ...shownRows];
  }
  return JSON.stringify(sections);
}

/** Lengths of the parts in which the service sends its next answer. */
function partsSent(): number[] {
  const lengths: number[] = [];
  app.app.getHttpServer().once('request', (_request: IncomingMessage, response: ServerResponse) => {
    for (const name of ['write', 'end'] as const) {
      const send = response[name].bind(response) as (...all: unknown[]) => never;
      response[name] = (...all: unknown[]) => {
        if (all[0] instanceof Uint8Array || typeof all[0] === 'string') lengths.push(all[0].length);
        return send(...all);
      };
    }
  });
  return lengths;
}

describe('The export of an employee', () => {
  it('has the bytes of all sections', async () => {
    const space = await Space.make(app);
    await space.fill();
    await fillRest(space);
    const expected = await whole(space);
    const { numero } = (await space.trail.rows()).at(-1)!;
    const { text, json } = await space.read();
    expect(Object.entries(json).filter(([, rows]) => (rows as unknown[]).length === 0)).toEqual([]);
    expect(text).toBe(expected);

    // The same with pages of one row.
    const person = await found(space);
    const parts: Uint8Array[] = [];
    for await (const part of partsOf(app.app.get(PersonalDataRepository).read(person, `${numero}`, 1)))
      parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe(expected);
    expect(parts.length).toBeGreaterThan(2 * ROWS.length);
  });

  it(`is sent in parts that ${CARDS} cards with images do not lengthen`, async () => {
    const space = await Space.make(app);
    await space.fill();
    await addCards(space, CARDS);
    const expected = await whole(space);
    const lengths = partsSent();
    const { text } = await space.read();
    expect(text.length).toBeGreaterThan(CARDS * IMAGE_BYTES);
    expect(text === expected).toBe(true);
    expect(Math.max(...lengths)).toBeLessThan(3 * MIB);
    const read = (await space.trail.rows()).filter(({ action }) => action === 'signature.lire');
    expect(read).toHaveLength(CARDS + 2);
  }, 60_000);

  it('reads each section in an order that no two rows share', async () => {
    for (const { table, order = OLDEST_FIRST } of ROWS) {
      const columns = [...order, 'tenant_id', 'id_externe_employe'];
      const { rows } = await app.database.query(
        `SELECT FROM pg_index WHERE indrelid = $1::regclass AND indisunique AND indpred IS NULL AND $2::text[] @> ARRAY(
           SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey))`,
        [table, columns],
      );
      const nullable = await app.database.query(
        `SELECT FROM pg_attribute WHERE attrelid = $1::regclass AND attname = ANY ($2) AND NOT attnotnull`,
        [table, order],
      );
      expect([table, rows.length > 0, nullable.rowCount]).toEqual([table, true, 0]);
    }
  });

  it('a failure halfway breaks the response off', async () => {
    const space = await Space.make(app);
    await space.fill();
    await addCards(space, 10);
    const { text } = await space.read();
    expect(text.length).toBeGreaterThan(2 * MIB);
    await app.database.query('ALTER TABLE courriel_destinataire RENAME TO absent');
    await expect(space.read()).rejects.toThrow('terminated');
    await app.database.query('ALTER TABLE absent RENAME TO courriel_destinataire');
    expect((await space.read()).status).toBe(200);
  });
});
