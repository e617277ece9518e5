import { CARDS, cardsTenant, SYNDICAT } from './cards';
import { baseline } from './employees';
import { ELECTORATE, rollTenant, VOTERS } from './roll';
import { bytesOf, requestsPerSecond } from './load';
import { say } from './progress';
import { compared, type Goal } from './report';
import { inTurns } from './rounds';
import { PRODUCT, type Work } from './work';
import { expectEqual, type Tenant, type World } from './world';

const CONNECTIONS = 16;
const OBJECTS = 'bare pg, objects';
const TEXT = 'bare pg, text';

interface Reading {
  readonly name: string;
  readonly title: string;
  /** The data space that is read; works share it. */
  readonly tenant: (world: World) => Promise<Tenant>;
  /** Path at the product, and at each floor. One of a single employee stands for those of them all. */
  readonly paths: (tenant: Tenant) => Readonly<Record<string, string>>;
  readonly goals: Readonly<Record<string, Goal>>;
  /** About how many requests warm everybody up. */
  readonly warmUp: number;
}

const LIST = '/b2b/v1/employe';

/** A tenant of so many employees. */
const ofEmployees =
  (size: number) =>
  (world: World): Promise<Tenant> =>
    world.readTenant(`${size.toLocaleString('en')} employees`, async (tenant) => {
      await world.fill(tenant, baseline(size));
    });

const READINGS: readonly Reading[] = [
  {
    name: 'list-1000',
    title: 'list 1,000',
    tenant: ofEmployees(1_000),
    paths: ({ id }) => ({ [PRODUCT]: LIST, [OBJECTS]: `/objects/${id}`, [TEXT]: `/text/${id}` }),
    goals: { [OBJECTS]: { atLeast: 1.4 }, [TEXT]: { atLeast: 0.85 } },
    warmUp: 160,
  },
  {
    name: 'list-10000',
    title: 'list 10,000',
    tenant: ofEmployees(10_000),
    paths: ({ id }) => ({ [PRODUCT]: LIST, [OBJECTS]: `/objects/${id}`, [TEXT]: `/text/${id}` }),
    goals: { [OBJECTS]: { atLeast: 1.2 } },
    warmUp: 32,
  },
  {
    name: 'page',
    title: 'page of 1,000 out of 10,000',
    tenant: ofEmployees(10_000),
    paths: ({ id }) => ({ [PRODUCT]: `${LIST}?limite=1000`, [TEXT]: `/text/${id}/1000` }),
    goals: {},
    warmUp: 160,
  },
  {
    name: 'one',
    title: 'one employee',
    tenant: ofEmployees(1_000),
    paths: ({ id }) => ({ [PRODUCT]: `${LIST}/E-0`, [OBJECTS]: `/one/${id}/E-0` }),
    goals: { [OBJECTS]: { atLeast: 0.55 } },
    warmUp: 4_000,
  },
  {
    name: 'cards',
    title: `page of 1,000 out of ${CARDS.toLocaleString('en')} cards, of one union and not paid for`,
    tenant: cardsTenant,
    paths: ({ id }) => ({
      [PRODUCT]: `/b2b/v2/adhesion?idExterneSyndicat=${SYNDICAT}&avecPaiement=false&limite=1000`,
      [TEXT]: `/cards/${id}/${SYNDICAT}/1000`,
    }),
    goals: { [TEXT]: { atLeast: 0.85 } },
    warmUp: 160,
  },
  {
    name: 'roll-page',
    title: `page of 1,000 out of ${VOTERS.toLocaleString('en')} voters, of one union`,
    tenant: rollTenant,
    paths: (tenant) => {
      const { id, campagne } = tenant as Awaited<ReturnType<typeof rollTenant>>;
      return {
        [PRODUCT]: `/b2b/v1/campagnes/${campagne}/votants?syndicatIdExterne=${ELECTORATE}&limite=1000`,
        [TEXT]: `/voters/${id}/${campagne}/${ELECTORATE}/1000`,
      };
    },
    goals: { [TEXT]: { atLeast: 0.85 } },
    warmUp: 160,
  },
];

export const READS: readonly Work[] = READINGS.map((reading) => ({
  name: reading.name,
  measure: async (world, { rounds, seconds }) => {
    const { title, goals } = reading;
    const tenant = await reading.tenant(world);
    const requesters = Object.entries(reading.paths(tenant)).map(([name, path]) =>
      requester(world, tenant, name, path),
    );

    say(`${title}: comparing the answers, warming up`);
    const [wanted, ...others] = await Promise.all(requesters.map(({ answer }) => answer()));
    for (const other of others) expectEqual('answer', other, wanted);
    const speeds = [];
    for (const { run } of requesters) speeds.push(await run(reading.warmUp));
    // All send the same number, a multiple of the connections, so that none idles long at the end.
    const count = Math.max(2, Math.round((Math.min(...speeds) * seconds) / CONNECTIONS)) * CONNECTIONS;

    const contestants = requesters.map(({ name, run }) => ({ name, run: () => run(count) }));
    const figures = await inTurns(title, contestants, rounds, perSecond);
    return compared(`${title}, requests a second`, figures, goals, perSecond);
  },
}));

/** Who sends the requests of a contestant: to each employee in turn where the path names one. */
function requester(world: World, tenant: Tenant, name: string, path: string) {
  const { port } = name === PRODUCT ? world.api : world.floor;
  const headers: Record<string, string> = name === PRODUCT ? { 'X-Api-Key': tenant.key } : {};
  const paths = path.endsWith('/E-0')
    ? baseline(1_000).map(({ idExterne }) => path.replace('E-0', idExterne))
    : [path];
  const requests = paths.map((each) => bytesOf({ method: 'GET', path: each, headers }));
  return {
    name,
    run: (count: number): Promise<number> => requestsPerSecond(port, requests, count, CONNECTIONS),
    answer: async (): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json(),
  };
}

function perSecond(value: number): string {
  return value < 100 ? value.toFixed(1) : String(Math.round(value));
}
