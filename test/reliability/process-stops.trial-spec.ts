import { setTimeout as sleep } from 'node:timers/promises';
import { times } from '../membership/synced';
import { cloneTemplate } from '../setup/test-app';
import { until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { Fleet, type FleetSpace } from './support/fleet';
import { FrontDoor } from './support/front-door';
import { report } from './support/report';

const FAULT = 'API stopped by SIGTERM, one of two replicas at a time, under keep-alive traffic';
const STOPS = WHOLE ? 20 : 4;
const CALLERS = 16;
/** The time that a load balancer may need to notice; production's own is 5 s. */
const SHUTDOWN_DELAY_MS = 1_500;

let fleet: Fleet;
let door: FrontDoor;
let space: FleetSpace;

beforeAll(async () => {
  fleet = await Fleet.start(await cloneTemplate(), {
    apis: 2,
    env: { SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS) },
  });
  door = await FrontDoor.open(fleet.apis.map((api) => () => api.url()));
  space = await fleet.space();
  const employes = times(CALLERS, (n) => ({ idExterne: `E-${n}`, prenom: '0', nom: 'Roy' }));
  await fleet.send(door.url, space.partner, 'POST', '/b2b/v1/employe/sync', { employes });
}, 60_000);
afterAll(async () => {
  await door.close();
  await fleet.stop();
});

interface Traffic {
  answered: number;
  readonly failed: string[];
  /** Confirmed writes that the next read of the same caller does not show. */
  lost: number;
}

/** Reads and writes over kept connections while `work` runs. */
async function traffic(work: (seen: Traffic) => Promise<void>): Promise<Traffic> {
  const seen: Traffic = { answered: 0, failed: [], lost: 0 };
  let isOver = false;
  const call = async (n: number): Promise<void> => {
    for (let number = 1; !isOver; number++) {
      try {
        const employe = { idExterne: `E-${n}`, prenom: String(number), nom: 'Roy' };
        const put = await fleet.send(door.url, space.partner, 'PUT', '/b2b/v1/employe', employe);
        const get = await fleet.send(door.url, space.partner, 'GET', `/b2b/v1/employe/E-${n}`);
        for (const { status, text } of [put, get])
          if (status !== 200) seen.failed.push(`${status} ${text.slice(0, 100)}`);
        if (get.status === 200 && (get.json as { prenom: string }).prenom !== String(number)) seen.lost += 1;
        seen.answered += 2;
      } catch (error) {
        seen.failed.push(String((error as Error).cause ?? error));
      }
    }
  };
  const callers = times(CALLERS, call);
  await work(seen).finally(() => (isOver = true));
  await Promise.all(callers);
  return seen;
}

/** Waits until the address reaches both replicas again. */
async function bothServe(): Promise<void> {
  await Promise.all(fleet.apis.map((api) => api.url()));
  await sleep(500);
}

describe('Replicas stopped one after the other', () => {
  it('all requests succeed, and each process exits with 0', async () => {
    const ends: { code: unknown; ms: number; errors: string }[] = [];
    const seen = await traffic(async (so) => {
      for (let stop = 0; stop < STOPS; stop++) {
        const before = so.answered;
        await until('requests are answered', () => so.answered > before + 100);
        ends.push(await fleet.apis[stop % 2]!.stopInOrder());
        await bothServe();
      }
    });
    report(FAULT, {
      trials: `${STOPS} stops`,
      checked: `${seen.answered} requests over ${CALLERS} connections`,
      losses: seen.failed.length + seen.lost,
      figures: `each stop took at most ${Math.max(...ends.map(({ ms }) => ms)).toFixed(0)} ms, of which ${SHUTDOWN_DELAY_MS} ms for load balancers`,
    });
    expect(seen.failed).toEqual([]);
    expect(seen.lost).toBe(0);
    expect(ends.map(({ code, errors }) => ({ code, errors }))).toEqual(
      times(STOPS, () => ({ code: 0, errors: '' })),
    );
    expect(seen.answered).toBeGreaterThan(STOPS * 100);
  }, 300_000);

  it('negative control: killed replicas make requests fail', async () => {
    const seen = await traffic(async (so) => {
      for (const api of fleet.apis) {
        const before = so.answered;
        await until('requests are answered', () => so.answered > before + 100);
        await api.kill();
        await bothServe();
      }
    });
    report(FAULT, { control: `2 kills instead of stops: ${seen.failed.length} requests failed` });
    expect(seen.failed.length).toBeGreaterThan(0);
  }, 120_000);
});
