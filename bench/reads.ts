import { CARDS, cardsTenant, SYNDICAT } from './cards';
import { baseline } from './employees';
import { ELECTORATE, rollTenant, VOTERS } from './roll';
import { bytesOf, requestsPerSecond } from './load';
import { type Peer, PEER, PEER_HEADERS, PEER_LIST, peerOf } from './peer';
import { say } from './progress';
import type { Contestant } from './rounds';
import { compared, type Goal, perSecond } from './report';
import { PRODUCT, type Work } from './work';
import { expectEqual, type Tenant, type World } from './world';

const CONNECTIONS = 16;
const OBJECTS = 'bare pg, objects';
const TEXT = 'bare pg, text';
const TEAM = 'Nest and TypeORM as usual';

interface Reading {
  readonly name: string;
  readonly title: string;
  /** The data space that is read; several works share it. */
  readonly tenant: (world: World) => Promise<Tenant>;
  /** The path at the product, at each floor and at the peer. A path of one employee stands for all of them. */
  readonly paths: (tenant: Tenant) => Readonly<Record<string, string>>;
  readonly goals: Readonly<Record<string, Goal>>;
  /** Approximate number of warm-up requests for each contestant. */
  readonly warmUp: number;
}

const LIST = '/b2b/v1/employe';

/** Returns a tenant with this number of employees. */
export const ofEmployees =
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
    paths: ({ id }) => ({
      [PRODUCT]: LIST,
      [OBJECTS]: `/objects/${id}`,
      [TEXT]: `/text/${id}`,
      [TEAM]: `/employes/${id}`,
      [PEER]: `${PEER_LIST}-1`,
    }),
    goals: { [OBJECTS]: { atLeast: 2 }, [TEXT]: { atLeast: 1.4 }, [PEER]: { atLeast: 5 } },
    warmUp: 160,
  },
  {
    name: 'list-10000',
    title: 'list 10,000',
    tenant: ofEmployees(10_000),
    paths: ({ id }) => ({
      [PRODUCT]: LIST,
      [OBJECTS]: `/objects/${id}`,
      [TEXT]: `/text/${id}`,
      [TEAM]: `/employes/${id}`,
      [PEER]: `${PEER_LIST}-1`,
    }),
    goals: { [OBJECTS]: { atLeast: 2 }, [TEXT]: { atLeast: 1.2 }, [PEER]: { atLeast: 4 } },
    warmUp: 32,
  },
  {
    name: 'page',
    title: 'page of 1,000 out of 10,000',
    tenant: ofEmployees(10_000),
    paths: ({ id }) => ({
      [PRODUCT]: `${LIST}?limite=1000`,
      [TEXT]: `/text/${id}/1000`,
      [TEAM]: `/employes/${id}?limite=1000`,
      [PEER]: `${PEER_LIST}1000`,
    }),
    goals: {},
    warmUp: 160,
  },
  {
    name: 'one',
    title: 'one employee',
    tenant: ofEmployees(1_000),
    paths: ({ id }) => ({
      [PRODUCT]: `${LIST}/E-0`,
      [OBJECTS]: `/one/${id}/E-0`,
      [TEAM]: `/employes/${id}/E-0`,
      [PEER]: '/items/employe/E-0',
    }),
    goals: { [OBJECTS]: { atLeast: 0.5 }, [PEER]: { atLeast: 14 } },
    // V8 optimizes the product for about 15 s, in which its speed more than doubles.
    warmUp: 40_000,
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
  isCompared: true,
  measure: async (world, { rounds, seconds }) => {
    const { title, goals } = reading;
    const tenant = await reading.tenant(world);
    const paths = reading.paths(tenant);
    const peer = PEER in paths ? await holding(world, tenant) : undefined;
    const requesters = Object.entries(paths)
      .filter(([name]) => name !== PEER || peer)
      .map(([name, path]) => requester(world, tenant, peer, name, path));

    say(`${title}: comparing the answers, warming up`);
    const [wanted, ...others] = await Promise.all(requesters.map(({ answer }) => answer()));
    for (const other of others) expectEqual('answer', other, wanted);
    const contestants: Contestant[] = [];
    // The product, which is the first one, warms up last: after it has been idle it is slower.
    for (const { name, run } of requesters.toReversed()) {
      // Fewer for the peer, because it is so slow that the same number would take minutes.
      const speed = await run(Math.max(CONNECTIONS * 2, name === PEER ? reading.warmUp / 4 : reading.warmUp));
      // Each works for about the same time. A multiple of the connections, because none should be idle long at the end.
      const count = Math.max(2, Math.round((speed * seconds) / CONNECTIONS)) * CONNECTIONS;
      contestants.unshift({ name, run: () => run(count) });
    }
    const figures = await world.inTurns(title, contestants, rounds, perSecond);
    return compared(`${title}, requests a second`, figures, goals, perSecond);
  },
}));

/** Returns the peer, if it is installed, with the employees of the tenant. */
async function holding(world: World, tenant: Tenant): Promise<Peer | undefined> {
  const peer = await peerOf(world);
  const url = `http://127.0.0.1:${world.api.port}${LIST}`;
  await peer?.hold(tenant.id, async () =>
    (await fetch(url, { headers: { 'X-Api-Key': tenant.key } })).text(),
  );
  return peer;
}

/** Returns the requests of a contestant: to each employee, one after the other, if the path names one. */
function requester(world: World, tenant: Tenant, peer: Peer | undefined, name: string, path: string) {
  const contestants: Record<string, { port: number; headers: Record<string, string> }> = {
    [PRODUCT]: { port: world.api.port, headers: { 'X-Api-Key': tenant.key } },
    [TEAM]: { port: world.team.port, headers: {} },
    ...(peer ? { [PEER]: { port: peer.port, headers: PEER_HEADERS } } : {}),
  };
  const { port, headers } = contestants[name] ?? { port: world.floor.port, headers: {} };
  const paths = path.endsWith('/E-0')
    ? baseline(1_000).map(({ idExterne }) => path.replace('E-0', idExterne))
    : [path];
  const requests = paths.map((each) => bytesOf({ method: 'GET', path: each, headers }));
  return {
    name,
    run: (count: number): Promise<number> => requestsPerSecond(port, requests, count, CONNECTIONS),
    answer: async (): Promise<unknown> => {
      const found: unknown = await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json();
      return name === PEER ? (found as { data: unknown }).data : found;
    },
  };
}
