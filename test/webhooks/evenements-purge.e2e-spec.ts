import type { INestApplication } from '@nestjs/common';
import { CellsService } from '../../libs/clients/src';
import { EvenementsService } from '../../libs/webhooks/src';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { FEED, Reader } from './support/feed';
import { Receiver, until } from './support/receiver';
import { clearQueue, PATH, seedEvents, Space } from './support/space';
import { perFile } from '../setup/fixtures';

const app = perFile(() => TestApp.own('a worker runs'));
let space: Space;

beforeEach(async () => {
  await clearQueue(app);
  space = await Space.open(app);
});

async function purgeBatch(): Promise<number> {
  const spaces = await app.app.get(CellsService).ownSpaces();
  return app.app.get(EvenementsService).purgeExpired(spaces);
}

/**
 * Purges until no expired event is left.
 *
 * @returns the number of deleted events
 */
async function purge(): Promise<number> {
  let count = 0;
  for (let last = await purgeBatch(); last > 0; last = await purgeBatch()) count += last;
  return count;
}
const replay = ({ id }: { id: string }) =>
  space.send('POST', `${PATH}/${id}/recuperer`, { depuis: '2020-01-01' });

describe('Events older than 30 days', () => {
  it('are deleted with their deliveries; younger events and their deliveries stay', async () => {
    const made = await space.endpoint();
    await seedEvents(space, 5, { age: '30 days 1 minute' });
    await seedEvents(space, 5, { age: '400 days' });
    const kept = await seedEvents(space, 5, { age: '29 days 23 hours 59 minutes' });
    const young = await space.eventIds();
    expect((await replay(made)).json).toEqual({ nombreLivraisons: 16 });
    expect([await space.count('evenement'), await space.count('livraison')]).toEqual([16, 16]);
    expect(await purge()).toBe(10);
    expect(await space.eventIds()).toEqual([...kept, young.at(-1)]);
    const left = await space.rows<{ id: string }>(
      'SELECT evenement_id AS id FROM livraison WHERE tenant_id = $1',
    );
    expect(left.map(({ id }) => id).sort()).toEqual([...kept, young.at(-1)].sort());
    expect(await purge()).toBe(0);
  });

  it('are deleted in every tenant, read or unread', async () => {
    const other = await Space.open(app);
    for (const one of [space, other]) await seedEvents(one, 3, { age: '31 days' });
    await new Reader(app, space.tenant).rest();
    expect(await purge()).toBe(6);
    for (const one of [space, other]) expect(await one.count('evenement')).toBe(1);
  });

  it('are deleted in batches, all of them by the worker', async () => {
    const made = await space.endpoint();
    const other = await Space.open(app);
    await seedEvents(space, 2_500, { age: '31 days' });
    await seedEvents(other, 1_200, { age: '31 days' });
    await replay(made);
    await clearQueue(app);
    expect(await purgeBatch()).toBe(1_000);
    // Each has the same part of a batch, although one has more.
    expect([await space.count('evenement'), await other.count('evenement')]).toEqual([2_001, 701]);
    const worker = await startWorker(app.config);
    try {
      await until('all are gone', async () => (await other.count('evenement')) === 1);
      await until('all are gone', async () => (await space.count('evenement')) === 1);
    } finally {
      await worker.close();
    }
    expect(await space.count('livraison')).toBe(1);
  });

  it('are not sent any more: their jobs find no delivery', async () => {
    const receiver = await Receiver.start();
    let worker: INestApplication | undefined;
    try {
      const made = await space.endpoint({ url: `${receiver.url}/hook` });
      await seedEvents(space, 5, { age: '31 days' });
      await replay(made);
      expect(await space.jobs()).toHaveLength(6);
      expect(await purge()).toBe(5);
      worker = await startWorker(app.config);
      await space.drained();
      expect(receiver.of('/hook').map(({ headers }) => headers['webhook-id'])).toEqual(
        await space.eventIds(),
      );
    } finally {
      await worker?.close();
      await receiver.stop();
    }
  });
});

describe('A reader whose last events were purged', () => {
  const age = () =>
    space.rows(
      `UPDATE evenement SET date_creation = date_creation - interval '31 days' WHERE tenant_id = $1`,
    );

  it.each(['', '?limite=1', '?limite=5', '?type=sync.terminee'])(
    'continues from its link with the next events, each once (%s)',
    async (query) => {
      const reader = new Reader(app, space.tenant, FEED + query);
      await space.sync();
      expect(await reader.rest()).toHaveLength(2);
      await age();
      expect(await purge()).toBe(2);
      expect([await reader.step(), await reader.step()]).toEqual([[], []]);
      for (let n = 0; n < 3; n++) await space.sync();
      await reader.rest();
      expect(reader.ids.slice(2)).toEqual(await space.eventIds());
    },
  );

  it('continues also if only the last event that it read was purged', async () => {
    for (const query of ['', '?limite=1']) {
      const reader = new Reader(app, space.tenant, FEED + query);
      await reader.rest();
      // It is the oldest by its time and was committed last, so it is purged before events that were read earlier.
      await seedEvents(space, 1, { age: '31 days' });
      expect(await reader.rest()).toHaveLength(1);
      expect(await purge()).toBe(1);
      const seen = reader.seen.length;
      expect([await reader.step(), await reader.step()]).toEqual([[], []]);
      await space.sync();
      expect(await reader.rest()).toHaveLength(1);
      expect(reader.ids.slice(seen)).toEqual((await space.eventIds()).slice(-1));
    }
  });

  it('misses only the events that were purged before it read them', async () => {
    const reader = new Reader(app, space.tenant, `${FEED}?limite=1`);
    await reader.step();
    await space.sync();
    await age();
    await space.sync();
    const young = (await space.eventIds()).at(-1);
    expect(await purge()).toBe(2);
    expect((await reader.rest()).map(({ id }) => id)).toEqual([young]);
  });
});
