import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { THIS_RELEASE } from '../http/child-process';
import { times } from '../membership/synced';
import { repeatsOf } from '../webhooks/support/card-ledger';
import { Receiver, until } from '../webhooks/support/receiver';
import { EarlierRelease } from './support/earlier-release';
import { WHOLE } from './support/effort';
import { Fleet } from './support/fleet';
import { FrontDoor } from './support/front-door';
import { delivered, faultsOfMixed, found } from './support/mixed-ledger';
import { MixedLoad, type Seen } from './support/mixed-load';
import { OwnPostgres } from './support/own-postgres';
import { report } from './support/report';

const VERSION = '0.2.0';
const FAULT = `upgrade from ${VERSION}: migrated under load, then two APIs and the worker replaced one by one`;
/** Upgrades; the processes of all but the last one are rolled back, on the new schema. */
const UPGRADES = WHOLE ? 3 : 1;
/** Responses between two steps. */
const WORK_BETWEEN = WHOLE ? 1_000 : 100;
/** Keeps the load below the budget of database time, on a busy machine too. */
const PAUSE_MS = 400;
/** The time that a load balancer may need to notice; production's own is 5 s. */
const SHUTDOWN_DELAY_MS = 5_000;

let earlier: EarlierRelease;
let postgres: OwnPostgres;
let database: Client;
let fleet: Fleet;
let door: FrontDoor;
let receiver: Receiver;

/** Requests that callers see as failed. */
const failuresOf = ({ refused, unanswered, others }: Seen): number => refused + unanswered + others.length;

async function answered(load: MixedLoad, count = WORK_BETWEEN): Promise<void> {
  const before = load.seen.answered;
  await until('requests are answered', () => load.seen.answered >= before + count, 60_000);
}

const open = (path: string): Promise<MixedLoad> =>
  MixedLoad.open(fleet, receiver.url + path, () => Promise.resolve(door.url), PAUSE_MS);

/** Status of a route that only this release has, from each API. */
const cellsOf = (): Promise<number[]> =>
  Promise.all(
    fleet.apis.map(async (api) => {
      const answer = await fleet.send(await api.url(), fleet.adminKey, 'GET', '/admin/v1/cles');
      return answer.status;
    }),
  );

const isHere = EarlierRelease.isHere(VERSION);
if (!isHere)
  process.stderr.write(
    `The trial of an upgrade from ${VERSION} is skipped: this clone does not have its commit. Fetch the whole history.\n`,
  );

(isHere ? describe : describe.skip)(`Release ${VERSION} and this one`, () => {
  beforeAll(async () => {
    earlier = await EarlierRelease.build(VERSION);
    const release = earlier.folder;
    receiver = await Receiver.start();
    postgres = await OwnPostgres.start({}, undefined, release);
    database = await postgres.client();
    const env = { SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS) };
    fleet = await Fleet.start(postgres.url, { apis: 2, workers: 1, env, release });
    door = await FrontDoor.open(fleet.apis.map((api) => () => api.url()));
  }, 180_000);
  afterAll(async () => {
    await door?.close();
    await fleet?.stop();
    await database?.end();
    await postgres?.stop();
    await receiver?.stop();
    await earlier?.remove();
  });

  it('negative control: a migration that the earlier release cannot bear makes requests fail', async () => {
    const load = await open('/control');
    load.start();
    await answered(load);
    expect(failuresOf(load.seen)).toBe(0);
    await database.query('ALTER TABLE employe RENAME COLUMN prenom TO prenom_usuel');
    await until('requests fail', () => failuresOf(load.seen) > 10);
    await database.query('ALTER TABLE employe RENAME COLUMN prenom_usuel TO prenom');
    await load.stop();
    report(FAULT, {
      control: `a column renamed while ${VERSION} serves: ${failuresOf(load.seen)} requests failed`,
    });
  }, 120_000);

  it('serve together on the new schema: no request fails, no write is lost, and each event arrives once', async () => {
    const load = await open('/');
    const { seen } = load;
    expect(await cellsOf()).toEqual([404, 404]);
    load.start();
    await answered(load);
    const migrated = Date.now();
    await postgres.migrate();
    // The earlier release serves on the new schema.
    await answered(load);
    const begun = Date.now();
    const ends: { code: unknown; errors: string }[] = [];
    const logged: object[] = [];
    const beside: object[] = [];
    const replace = async (release: string): Promise<void> => {
      for (const process of [...fleet.apis, ...fleet.workers]) {
        const { code, errors, logged: lines } = await process.stopInOrder(release);
        ends.push({ code, errors });
        // The control has caused earlier ones.
        const later = lines.filter(({ time }) => Number(time) >= migrated);
        logged.push(...later.filter(({ time }) => Number(time) >= begun));
        beside.push(...later.filter(({ time }) => Number(time) < begun));
        await process.url();
        // The address reaches it again.
        await sleep(500);
        await answered(load);
      }
    };
    for (let upgrade = 1; upgrade <= UPGRADES; upgrade++) {
      if (upgrade > 1) await replace(earlier.folder);
      await replace(THIS_RELEASE);
    }
    await load.stop();
    await delivered(database, load);
    const there = await found(database, fleet, load, receiver.of('/'));
    const faults = faultsOfMixed(seen, there);
    const repeats = repeatsOf(there.deliveries);
    const wrong = Object.values(faults).reduce((sum, often) => sum + often, 0);
    report(FAULT, {
      trials: `1 migration, ${ends.length} processes replaced`,
      checked: `${seen.answered} requests, ${there.cards.size} cards, ${there.voted.size} votes, ${there.deliveries.received.length} deliveries`,
      losses: failuresOf(seen) + wrong + repeats,
      figures: [`slowest response ${seen.longestMs.toFixed(0)} ms`, ...seen.failures.slice(0, 3)].join('; '),
    });
    // The log of the migration explains a failed request. By itself it is no failure.
    const reasons = seen.others.length > 0 ? beside : [];
    expect({ others: seen.others.slice(0, 5), failures: seen.failures, logged, reasons }).toEqual({
      others: [],
      failures: [],
      logged: [],
      reasons: [],
    });
    expect(faults).toEqual({});
    expect(repeats).toBe(0);
    expect(ends).toEqual(times(ends.length, () => ({ code: 0, errors: '' })));
    expect(await cellsOf()).toEqual([200, 200]);
  }, 1_200_000);
});
