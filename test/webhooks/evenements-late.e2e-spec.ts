import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { times } from '../membership/synced';
import { SEED } from '../setup/depth';
import { seeded } from '../setup/seeded';
import { TestApp } from '../setup/test-app';
import { FEED, Reader } from './support/feed';
import { Gate } from './support/gate';
import { sign } from './support/signed';
import { clearQueue, Space } from './support/space';
import { perFile } from '../setup/fixtures';

const app = perFile(() => TestApp.own('sees all tenants'));
let space: Space;
const clients: Client[] = [];
const random = seeded(SEED);

beforeEach(async () => {
  await clearQueue(app);
  space = await Space.open(app);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
});

async function connect(): Promise<Client> {
  const client = await app.connect();
  clients.push(client);
  return client;
}

/** A transaction on its own connection that writes events and ends when the test says so. */
class Writer {
  private constructor(
    private readonly client: Client,
    private readonly tenantId: string,
  ) {}

  static async open(): Promise<Writer> {
    const writer = new Writer(await connect(), space.tenantId);
    await writer.begin();
    return writer;
  }

  begin(): Promise<unknown> {
    return this.client.query('BEGIN');
  }

  /**
   * Writes one event.
   *
   * @returns its id
   */
  async write(type = 'sync.terminee'): Promise<string> {
    const { rows } = await this.client.query<{ id: string }>(
      `INSERT INTO evenement (tenant_id, type, data) VALUES ($1, $2, '{}') RETURNING id_unique AS id`,
      [this.tenantId, type],
    );
    return rows[0]!.id;
  }

  end(how: 'COMMIT' | 'ROLLBACK'): Promise<unknown> {
    return this.client.query(how);
  }
}

/**
 * The obvious wrong cursor: the creation time and id of the last event. The feed must show the events that it misses.
 */
class NaiveReader {
  readonly ids: string[] = [];
  private last = { date: new Date(0), id: '00000000-0000-0000-0000-000000000000' };

  constructor(
    private readonly tenantId: string,
    private readonly limit: number,
  ) {}

  async step(): Promise<number> {
    const { rows } = await app.database.query<{ date: Date; id: string }>(
      `SELECT date_creation AS date, id_unique AS id FROM evenement
       WHERE tenant_id = $1 AND (date_creation, id_unique) > ($2, $3) ORDER BY 1, 2 LIMIT $4`,
      [this.tenantId, this.last.date, this.last.id, this.limit],
    );
    this.ids.push(...rows.map(({ id }) => id));
    this.last = rows.at(-1) ?? this.last;
    return rows.length;
  }

  async rest(): Promise<void> {
    while ((await this.step()) > 0);
  }
}

const readers = (): Reader[] => [
  new Reader(app, space.tenant, `${FEED}?limite=1`),
  new Reader(app, space.tenant, `${FEED}?limite=3`),
  new Reader(app, space.tenant, FEED),
  new Reader(app, space.tenant, `${FEED}?type=sync.terminee&limite=2`),
];

describe('An event that is committed late', () => {
  it('comes after the events that were read before it, and the naive cursor misses it', async () => {
    const [all, naive] = [readers(), new NaiveReader(space.tenantId, 3)];
    const first = await Writer.open();
    const late = await first.write();
    const second = await Writer.open();
    const early = await second.write();
    await second.end('COMMIT');
    for (const reader of [...all, naive]) {
      await reader.rest();
      expect(reader.ids.slice(1)).toEqual([early]);
    }
    await first.end('COMMIT');
    for (const reader of all) {
      await reader.rest();
      expect(reader.ids.slice(1)).toEqual([early, late]);
    }
    await naive.rest();
    expect(naive.ids.slice(1)).toEqual([early]);
    // Its own time is older; the feed shows that time and keeps its order.
    const { json } = await space.send('GET', FEED);
    expect(json[2].timestamp < json[1].timestamp).toBe(true);
    expect(json.map(({ id }: { id: string }) => id)).toEqual(all[2]!.ids);
  });

  it('is seen after real signings, while others sync and a reader continues', async () => {
    const gate = await Gate.close(
      app,
      'INSERT',
      'evenement',
      `NEW.type = 'adhesion.signee' AND NEW.tenant_id = '${space.tenantId}'`,
    );
    try {
      const reader = new Reader(app, space.tenant, `${FEED}?limite=1`);
      const naive = new NaiveReader(space.tenantId, 1);
      const signing = sign(app, space);
      await gate.waiting();
      for (let n = 0; n < 3; n++) await space.sync();
      for (const one of [reader, naive]) {
        await one.rest();
        expect(one.ids).toHaveLength(4);
      }
      await gate.open();
      const card = await signing;
      const [late, ...more] = await reader.rest();
      expect([late!.type, late!.data.idUniqueAdhesion, more]).toEqual(['adhesion.signee', card, []]);
      await naive.rest();
      expect(naive.ids).not.toContain(late!.id);
      expect(await space.eventIds()).toContain(late!.id);
    } finally {
      await gate.remove();
    }
  });

  it('is seen although other events of its time already have a place, and no event comes twice', async () => {
    const writers = await Promise.all(times(30, () => Writer.open()));
    const written = await Promise.all(writers.map((writer) => writer.write()));
    const all = readers();
    // The last transaction to begin commits first, so each event is older than all events read before it.
    for (const at of times(30, (n) => 29 - n)) {
      await writers[at]!.end('COMMIT');
      for (const reader of all) await reader.step();
    }
    for (const reader of all) {
      await reader.rest();
      expect(reader.ids.slice(1)).toEqual([...written].reverse());
    }
  });

  it('comes after the transaction that it waited for, although that one began later', async () => {
    const waiting = await Writer.open();
    const other = await Writer.open();
    const before = await other.write();
    await other.end('COMMIT');
    const after = await waiting.write();
    await waiting.end('COMMIT');
    for (const reader of readers()) {
      await reader.rest();
      expect(reader.ids.slice(1)).toEqual([before, after]);
    }
    expect((await space.eventIds()).slice(1)).toEqual([before, after]);
    const { json } = await space.send('GET', FEED);
    expect(json[1].timestamp <= json[2].timestamp).toBe(true);
  });

  it('a rolled-back event is never seen', async () => {
    const writer = await Writer.open();
    const gone = await writer.write();
    const [reader] = readers();
    await reader!.rest();
    await writer.end('ROLLBACK');
    await space.sync();
    await reader!.rest();
    expect([reader!.ids.length, reader!.ids.includes(gone)]).toEqual([2, false]);
  });

  it('an open transaction does not block readers', async () => {
    const writer = await Writer.open();
    await writer.write();
    for (const reader of readers()) expect(await reader.rest()).toHaveLength(1);
    await writer.end('COMMIT');
  });
});

describe('Twenty writers that commit in any order, while readers page', () => {
  it.each([1, 2, 3])(
    'each reader sees each committed event exactly once, in one order (round %i)',
    async () => {
      const committed: string[] = [];
      const rolledBack: string[] = [];
      let isWriting = true;
      // It begins first and commits last, which guarantees that the naive cursor misses its event.
      const last = await Writer.open();
      const late = await last.write();
      const write = async (): Promise<void> => {
        const writer = await Writer.open();
        for (let round = 0; round < 8; round++) {
          if (round > 0) await writer.begin();
          const ids: string[] = [];
          for (let n = 0; n < 1 + Math.floor(random() * 4); n++) {
            ids.push(await writer.write(random() < 0.5 ? 'sync.terminee' : 'adhesion.supprimee'));
            await sleep(random() * 15);
          }
          const isKept = random() < 0.8;
          await writer.end(isKept ? 'COMMIT' : 'ROLLBACK');
          (isKept ? committed : rolledBack).push(...ids);
        }
      };
      const follow = async (reader: { step(): Promise<unknown> }): Promise<void> => {
        while (isWriting) {
          await reader.step();
          await sleep(random() * 5);
        }
      };
      const full = ['?limite=1', '?limite=3', '?limite=7', ''].map(
        (query) => new Reader(app, space.tenant, FEED + query),
      );
      const syncs = new Reader(app, space.tenant, `${FEED}?type=sync.terminee&limite=2`);
      const naive = new NaiveReader(space.tenantId, 3);
      const following = [...full, syncs, naive].map(follow);
      await Promise.all(times(20, write));
      isWriting = false;
      await Promise.all(following);
      for (const one of [...full, syncs, naive]) await one.rest();
      await last.end('COMMIT');
      for (const one of [...full, syncs, naive]) await one.rest();

      const [made] = await space.eventIds();
      const expected = [made!, late, ...committed].sort();
      for (const reader of full) {
        expect([...reader.ids].sort()).toEqual(expected);
        expect(reader.ids).toEqual(full[0]!.ids);
      }
      // A reader that starts later sees the same order.
      const newcomer = new Reader(app, space.tenant, `${FEED}?limite=5`);
      await newcomer.rest();
      expect(newcomer.ids).toEqual(full[0]!.ids);
      const kinds = new Map(newcomer.seen.map(({ id, type }) => [id, type]));
      expect(syncs.ids).toEqual(newcomer.ids.filter((id) => kinds.get(id) === 'sync.terminee'));
      expect(rolledBack.filter((id) => kinds.has(id))).toEqual([]);
      expect(rolledBack.length).toBeGreaterThan(0);
      // The negative control: the same scenario detects a wrong cursor.
      expect(expected.filter((id) => !naive.ids.includes(id))).toContain(late);
    },
  );

  it('readers that begin at the same moment see one common order of all events', async () => {
    const writers = await Promise.all(times(20, () => Writer.open()));
    await Promise.all(writers.map((writer) => writer.write()));
    const all = times(10, () => new Reader(app, space.tenant, `${FEED}?limite=2`));
    await Promise.all([
      ...writers.map((writer) => writer.end('COMMIT')),
      ...all.map((reader) => reader.rest()),
    ]);
    for (const reader of all) await reader.rest();
    for (const reader of all) expect(reader.ids).toEqual(all[0]!.ids);
    expect(new Set(all[0]!.ids).size).toBe(21);
  });
});
