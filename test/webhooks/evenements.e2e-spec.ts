import type { INestApplication } from '@nestjs/common';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { GUID, INSTANT, times } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { FEED, type Item, nextOf, Reader } from './support/feed';
import { Receiver } from './support/receiver';
import { sign } from './support/signed';
import { clearQueue, seedEvents, Space } from './support/space';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.own('a worker runs'));
const space = perTest(() => Space.open(app));

const get = (query = '', caller?: { cle: string }) =>
  space.send('GET', FEED + query, undefined, undefined, caller);
const idsOf = (items: Item[]): string[] => items.map(({ id }) => id);
const reader = (query = '', caller: { cle: string } = space.tenant) => new Reader(app, caller, FEED + query);

describe('GET /b2b/v2/evenement', () => {
  it('200 with exactly id, type, timestamp and data of each event, oldest first', async () => {
    const card = await sign(app, space);
    expect((await space.send('DELETE', `/b2b/v2/adhesion/${card}`)).status).toBe(204);
    const { json } = await get();
    expect(json.map((item: Item) => [item.type, Object.keys(item)])).toEqual(
      ['sync.terminee', 'adhesion.signee', 'adhesion.supprimee'].map((type) => [
        type,
        ['id', 'type', 'timestamp', 'data'],
      ]),
    );
    for (const item of json) {
      expect([item.id, item.timestamp]).toEqual([
        expect.stringMatching(GUID),
        expect.stringMatching(INSTANT),
      ]);
    }
    expect([json[1].data.idUniqueAdhesion, json[2].data.idUniqueAdhesion]).toEqual([card, card]);
    expect(json.map(({ timestamp }: Item) => timestamp)).toEqual(
      json.map(({ timestamp }: Item) => timestamp).sort(),
    );
    expect(idsOf(json)).toEqual(await space.eventIds());
    expect((await space.send('GET', `/api${FEED}`)).json).toEqual(json);
  });

  it('the data of an event are byte for byte the V2 card and the body of the webhook', async () => {
    await clearQueue(app);
    const receiver = await Receiver.start();
    let worker: INestApplication | undefined;
    try {
      await space.endpoint({ url: `${receiver.url}/hook`, types: ['adhesion.signee'] });
      await sign(app, space);
      const card = await space.send('GET', '/b2b/v2/adhesion');
      const feed = await get('?type=adhesion.signee');
      worker = await startWorker(app.config);
      await space.drained();
      const [hook] = receiver.of('/hook');
      const [item] = feed.json;
      const text = card.text.slice(1, -1);
      expect(feed.text).toBe(
        `[{"id":"${item.id}","type":"adhesion.signee","timestamp":"${item.timestamp}","data":${text}}]`,
      );
      expect(hook!.body).toBe(`{"type":"adhesion.signee","timestamp":"${item.timestamp}","data":${text}}`);
      expect(hook!.headers['webhook-id']).toBe(item.id);
    } finally {
      await worker?.close();
      await receiver.stop();
    }
  });

  it('200 with the events of one type; 400 for an unknown type', async () => {
    await sign(app, space);
    await space.sync();
    const types = async (query: string) => (await get(query)).json.map(({ type }: Item) => type);
    expect(await types('')).toEqual(['sync.terminee', 'adhesion.signee', 'sync.terminee']);
    expect(await types('?type=sync.terminee')).toEqual(['sync.terminee', 'sync.terminee']);
    expect(await types('?type=adhesion.signee&limite=5')).toEqual(['adhesion.signee']);
    expect(await types('?type=conciliation.demandee')).toEqual([]);
    const { id } = await space.endpoint();
    await space.send('POST', `/b2b/v2/webhook/${id}/test`);
    expect(await types('?type=webhook.test')).toEqual(['webhook.test']);
    for (const none of ['Sync.Terminee', 'sync', 'sync.terminee,adhesion.signee', 'constructor', '*'])
      expectFaults(await get(`?type=${none}`), { '?type': 'choice' });
    expectFaults(await get('?types=sync.terminee'), { '?types': 'unknown' });
    expectFaults(await get('?depuis=2026-01-01'), { '?depuis': 'unknown' });
    for (const limite of ['0', '1001', '-1'])
      expectFaults(await get(`?limite=${limite}`), { '?limite': 'range' });
    for (const curseur of ['x', 'MTIz', `${'A'.repeat(50)}`])
      expectFaults(await get(`?curseur=${curseur}`), { '?curseur': 'cursor' });
  });

  it('403 Module.NonActif for a type of a module that the key may not use; the list omits its events', async () => {
    const restricted = await space.keyFor(['vote']);
    await sign(app, space);
    await space.sync();
    for (const type of ['adhesion.signee', 'adhesion.supprimee', 'conciliation.demandee']) {
      const answer = await get(`?type=${type}`, restricted);
      expectProblem(answer, 403, 'Module.NonActif');
      expect(answer.json.module).toBe('carteMembre');
    }
    const all = (await get()).json as Item[];
    const readable = all.filter(({ type }) => type === 'sync.terminee');
    expect(all.length - readable.length).toBe(1);
    for (const query of ['', '?limite=1', '?limite=2', '?type=sync.terminee', '?type=sync.terminee&limite=1'])
      expect(await reader(query, restricted).rest()).toEqual(readable);
    expect((await get('', restricted)).text).not.toContain('Tremblay');
  });
});

describe('The link to the next events', () => {
  it.each([
    '',
    '?limite=1',
    '?limite=2',
    '?limite=1000',
    '?type=adhesion.signee',
    '?type=adhesion.signee&limite=2',
  ])(
    'is on an empty feed, a full page, the last page and a whole list (%s), and leads to exactly the new events',
    async (query) => {
      const fresh = await app.tenant();
      const empty = await app.send(fresh, 'GET', FEED + query);
      expect([empty.status, empty.text]).toEqual([200, '[]']);
      nextOf(app, empty);
      const follower = reader(query);
      await follower.rest();
      const before = follower.seen.length;
      for (let round = 0; round < 3; round++) {
        const count = round + 1;
        for (let n = 0; n < count; n++) await sign(app, space);
        const fresh = (await space.eventIds('adhesion.signee')).slice(-count);
        expect(idsOf(await follower.rest())).toEqual(fresh);
        // Requests to the link of an empty page stay empty until the next event.
        expect([await follower.step(), await follower.step()]).toEqual([[], []]);
      }
      expect(follower.seen).toHaveLength(before + 6);
      expect(new Set(follower.ids).size).toBe(follower.seen.length);
    },
  );

  it('the link of an empty feed leads to its first event', async () => {
    for (const query of ['', '?limite=3', '?type=sync.terminee']) {
      const fresh = await app.tenant();
      const follower = reader(query, fresh);
      expect([await follower.step(), await follower.step()]).toEqual([[], []]);
      await app.send(fresh, 'POST', '/b2b/v2/sync', {});
      expect((await follower.rest()).map(({ type }) => type)).toEqual(['sync.terminee']);
    }
  });

  it('keeps the filter and the size of the page', async () => {
    for (let n = 0; n < 3; n++) await sign(app, space);
    const { searchParams } = new URL(nextOf(app, await get('?type=adhesion.signee&limite=2')), 'http://x');
    expect([searchParams.get('type'), searchParams.get('limite')]).toEqual(['adhesion.signee', '2']);
    expect(searchParams.get('curseur')).toMatch(/^[\w-]+$/);
  });

  it('pages of 1, 2 and 3 contain each event once, in the order of the whole list', async () => {
    for (let n = 0; n < 4; n++) {
      await sign(app, space);
      // These events get their places together.
      await seedEvents(space, 3, { age: '1 minute' });
      if (n % 2) await get();
    }
    const all = (await get()).json as Item[];
    expect(idsOf(all).sort()).toEqual((await space.eventIds()).sort());
    for (const limite of [1, 2, 3]) {
      const follower = reader(`?limite=${limite}`);
      expect(await follower.rest()).toEqual(all);
      // A repeated request gets the same response.
      const again = reader(`?limite=${limite}`);
      const first = await again.step();
      again.next = `${FEED}?limite=${limite}`;
      expect(await again.step()).toEqual(first);
    }
  });
});

describe('A long feed', () => {
  it('12,000 events and earlier ones come in order, by one request and by pages', async () => {
    const ids = [...(await space.eventIds()), ...(await seedEvents(space, 12_000, { age: '0' }))];
    const whole = await get();
    // The order is that of creation, independent of the batches in which the events got their places.
    expect(idsOf(whole.json)).toEqual(ids);
    const next = new Reader(app, space.tenant, nextOf(app, whole));
    expect(await next.step()).toEqual([]);
    await space.sync();
    expect(await next.rest()).toHaveLength(1);
    const paged = reader('?limite=1000');
    await paged.rest();
    expect(paged.ids).toEqual([...idsOf(whole.json), next.ids[0]]);
  });

  it('6,000 unread events come by pages from the beginning, in the order of creation', async () => {
    const ids = [...(await space.eventIds()), ...(await seedEvents(space, 6_000, { age: '0' }))];
    const follower = reader('?limite=1000');
    await follower.rest();
    expect(follower.ids).toEqual(ids);
  });

  it.each([
    ['a filter', '?type=adhesion.signee&limite=10', undefined],
    ['a key of few modules', '?limite=10', ['vote' as const]],
  ])(
    'an empty page means that there is no new event, also with %s behind 6,000 others',
    async (_what, query, modules) => {
      const hidden = modules ? 'adhesion.signee' : 'sync.terminee';
      await seedEvents(space, 6_000, { type: hidden, age: '2 hours' });
      const wanted = await seedEvents(space, 1, { type: modules ? 'sync.terminee' : 'adhesion.signee' });
      const caller = modules ? await space.keyFor(modules) : space.tenant;
      const follower = reader(query, caller);
      expect(idsOf(await follower.rest()).slice(0, 1)).toEqual(wanted);
    },
  );

  it('40 events of 400,000 characters come in one response and by pages that fit', async () => {
    await space.rows(
      `INSERT INTO evenement (tenant_id, type, data)
       SELECT $1, 'sync.terminee', json_build_object('n', n, 'text', repeat('é', 400000)) FROM generate_series(1, 40) n`,
    );
    const whole = (await get()).json as Item[];
    expect(whole.slice(1).map(({ data }) => data.n)).toEqual(times(40, (n) => n + 1));
    const follower = reader('?limite=1000');
    await follower.rest();
    expect(follower.ids).toEqual(idsOf(whole));
  });
});
