import { employers } from './employees';
import { RECENTLY, type Sized, sizedSite } from './growth-sites';
import { bytesOf, type Request, requestsPerSecond, underLoad } from './load';
import { say } from './progress';
import { grown, type Goal, milliseconds, perSecond, type Row } from './report';
import { type Contestant, inTurns, percentile } from './rounds';
import { cursorOf } from '../libs/platform/src/http/listing';
import type { Position } from '../libs/platform/src/database/json-items';
import { ofEmployees } from './reads';
import { type Effort, type Work } from './work';
import { expectEqual, type Site, type Tenant, type World } from './world';

/** Measures the cost of a request by the employees of a tenant, by the tenants, and by the connections. */

const EMPLOYEES = [1_000, 100_000, 1_000_000, 5_000_000];
const TENANTS = [1, 100, 1_000, 10_000];
const EMPLOYEES_OF_EACH = 200;
/** Requests before the measurements over several connections. V8 optimizes the product for about 15 s. */
const WARM_UP = 20_000;
const CONNECTIONS = [1, 4, 16, 64];
/** Different requests, distributed evenly over tenants and employees. */
const SPREAD = 1_000;
const PAGE = 100;
const GOAL = { atMost: 1.3 };
const LIST = '/b2b/v1/employe';

/** A kind of request. `number` counts from 0 and selects the request. */
interface Operation {
  readonly title: string;
  readonly goal?: Goal;
  /** A write alternates between two values, because each must change something. */
  readonly writes?: true;
  /** The number of different requests of each value; after them the first one is sent again. */
  readonly count: (sized: Sized) => number;
  readonly request: (
    sized: Sized,
    tenant: Tenant,
    number: number,
    isChanged: boolean,
  ) => Promise<Request> | Request;
}

const one: Operation = {
  title: 'one employee by id',
  goal: GOAL,
  count: ({ tenants }) => Math.max(SPREAD, tenants.length),
  request: ({ employees }, _tenant, number) => ({
    method: 'GET',
    path: `${LIST}/E-${spread(number, employees)}`,
  }),
};

const first: Operation = {
  title: `first page of ${PAGE}`,
  goal: GOAL,
  count: ({ tenants }) => tenants.length,
  request: () => ({ method: 'GET', path: `${LIST}?limite=${PAGE}` }),
};

const far: Operation = {
  title: `page of ${PAGE} at nine tenths`,
  goal: GOAL,
  count: () => 1,
  request: async ({ site, employees }, { id }) => {
    const { rows } = await site.database.query<Position>(
      `SELECT date_creation AS date, id_unique AS id FROM employe WHERE tenant_id = $1 AND id_externe = $2`,
      [id, `E-${employees * 0.9}`],
    );
    // A cursor as in `next` links, because following the links would take thousands of requests.
    const cursor = cursorOf(rows[0]!, JSON.stringify([id, LIST]));
    return { method: 'GET', path: `${LIST}?limite=${PAGE}&curseur=${cursor}` };
  },
};

const recent: Operation = {
  title: `the ${PAGE} changed lately (modifieDepuis)`,
  goal: GOAL,
  count: () => 1,
  request: () => ({
    method: 'GET',
    path: `${LIST}?limite=${PAGE}&modifieDepuis=${RECENTLY}`,
  }),
};

const replace: Operation = {
  title: 'one employee replaced',
  goal: GOAL,
  writes: true,
  // Each employee once, because the same value again would change nothing.
  count: ({ tenants, employees }) => Math.max(Math.min(SPREAD, employees), tenants.length),
  request: ({ employees }, _tenant, number, isChanged) => {
    const body = employee(spread(number, employees), isChanged);
    return { method: 'PUT', path: LIST, body: Buffer.from(JSON.stringify(body)) };
  },
};

const sync = (records: number): Operation => ({
  title: `sync of ${records.toLocaleString('en')} changed`,
  goal: GOAL,
  writes: true,
  // The bodies of more tenants would fill the memory.
  count: ({ tenants }) => Math.min(SPREAD, tenants.length),
  request: ({ employees }, _tenant, _number, isChanged) => {
    const employes = Array.from({ length: records }, (_, n) =>
      employee(Math.floor((n * employees) / records), isChanged),
    );
    return { method: 'POST', path: `${LIST}/sync`, body: Buffer.from(JSON.stringify({ employes })) };
  },
});

/**
 * Returns the n-th of some employees that are far apart. Neighbours share pages of the table, which would favour large
 * ones.
 */
function spread(number: number, employees: number): number {
  return (number * 7_919) % employees;
}

function employee(n: number, isChanged: boolean): object {
  return {
    idExterne: `E-${n}`,
    prenom: 'Marie-Ève',
    nom: 'Tremblay',
    noMembre: `M-${100_000 + n}`,
    courriel: `membre.${n}@example.org`,
    identifiantExterneEmployeur: `EMP-${n % employers().length}`,
    telephonePrincipal: isChanged ? '418 555-0000 p. 2' : '418 555-0000',
    adresse1: `${n}, rue Saint-Jean`,
    ville: 'Trois-Rivières',
    province: 'QC',
    codePostal: 'G9A 1B2',
  };
}

interface Turn extends Contestant {
  readonly site: Site;
}

/** Measures milliseconds for each request over one connection; the sizes alternate. */
async function measure(
  work: string,
  operation: Operation,
  sizes: readonly Sized[],
  { rounds, seconds }: Effort,
): Promise<Row[]> {
  const title = `${operation.title}, ${work}`;
  say(`${title}: warming up`);
  const contestants: Turn[] = [];
  for (const sized of sizes) {
    const { site, tenants, name } = sized;
    const requests: Buffer[] = [];
    for (const isChanged of operation.writes ? [true, false] : [false]) {
      for (let number = 0; number < operation.count(sized); number++) {
        const tenant = tenants[number % tenants.length]!;
        const request = await operation.request(sized, tenant, number, isChanged);
        requests.push(bytesOf({ ...request, headers: { 'X-Api-Key': tenant.key } }));
      }
    }
    let next = 0;
    const send = async (count: number): Promise<number> => {
      // Continues after the requests of the previous turn.
      const turned = [...requests.slice(next), ...requests.slice(0, next)];
      next = (next + count) % requests.length;
      return 1_000 / (await requestsPerSecond(site.api.port, turned, count, 1));
    };
    // PostgreSQL may make a generic plan at the sixth execution.
    let time = await send(20);
    time = await send(Math.max(5, Math.round((seconds * 1_000) / time)));
    contestants.push({ name, site, run: () => send(Math.max(3, Math.round((seconds * 1_000) / time))) });
  }
  const figures = await inTurns(title, contestants, rounds, milliseconds, async ({ site }) => {
    // As autovacuum would. Without it the smallest table would have more dead rows than live ones.
    if (operation.writes) await site.database.query('VACUUM employe');
  });
  return grown(title, figures, milliseconds, operation.goal);
}

async function grow(
  sizes: readonly Sized[],
  work: string,
  operations: readonly Operation[],
  effort: Effort,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const operation of operations) rows.push(...(await measure(work, operation, sizes, effort)));
  for (const { site } of sizes) await site.stop();
  return rows;
}

export const GROWTH: readonly Work[] = [
  {
    name: 'growth-employees',
    measure: async (world, effort) => {
      const sizes: Sized[] = [];
      for (const size of EMPLOYEES)
        sizes.push(await sizedSite(world, `${size.toLocaleString('en')} employees`, 1, size));
      await expectRecent(sizes);
      const operations = [one, first, far, recent, replace, sync(1_000)];
      return grow(sizes, 'by the employees of its tenant', operations, effort);
    },
  },
  {
    name: 'growth-tenants',
    measure: async (world, { rounds, seconds }) => {
      const sizes: Sized[] = [];
      for (const count of TENANTS) {
        const name = `${count.toLocaleString('en')} ${count === 1 ? 'tenant' : 'tenants'}`;
        sizes.push(await sizedSite(world, name, count, EMPLOYEES_OF_EACH));
      }
      // A turn is too short for all keys, so it would otherwise measure their first look-ups.
      for (const { site, tenants } of sizes) {
        const own = tenants.map(({ key }) =>
          bytesOf({ method: 'GET', path: '/b2b/v1/moi', headers: { 'X-Api-Key': key } }),
        );
        await requestsPerSecond(site.api.port, own, tenants.length, 1);
      }
      const effort = { rounds, seconds: seconds * 2 };
      return grow(sizes, 'by the number of tenants', [one, first, replace, sync(100)], effort);
    },
  },
  {
    name: 'growth-connections',
    measure: async (world, effort) => {
      const tenant = await ofEmployees(10_000)(world);
      const ids = Array.from({ length: SPREAD }, (_, n) => `/E-${spread(n, 10_000)}`);
      const floor = ids.map((id) => `/one/${tenant.id}${id}`);
      return [
        ...(await connections(
          world,
          `one employee by id`,
          ids.map((id) => LIST + id),
          tenant.key,
          effort,
        )),
        ...(await connections(world, `one row by id, bare pg`, floor, undefined, effort)),
        ...(await connections(world, `page of ${PAGE}`, [`${LIST}?limite=${PAGE}`], tenant.key, effort)),
      ];
    },
  },
];

/** Checks that all sizes return the same number of employees to an incremental read. */
async function expectRecent(sizes: readonly Sized[]): Promise<void> {
  for (const { site, tenants } of sizes) {
    const url = `http://127.0.0.1:${site.api.port}${LIST}?modifieDepuis=${RECENTLY}`;
    const answer = await fetch(url, { headers: { 'X-Api-Key': tenants[0]!.key } });
    expectEqual('employees changed lately', ((await answer.json()) as unknown[]).length, PAGE);
  }
}

/** Measures requests a second, and their duration, over more and more connections to one process. */
async function connections(
  { api, floor }: World,
  work: string,
  paths: readonly string[],
  key: string | undefined,
  { rounds, seconds }: Effort,
): Promise<Row[]> {
  const port = key ? api.port : floor.port;
  const headers = key ? { 'X-Api-Key': key } : undefined;
  const requests = paths.map((path) => bytesOf({ method: 'GET', path, ...(headers ? { headers } : {}) }));
  const times: Record<'p50' | 'p99', Map<string, number[]>> = { p50: new Map(), p99: new Map() };
  say(`${work}: warming up`);
  await requestsPerSecond(port, requests, WARM_UP, 16);
  const contestants = [];
  for (const many of CONNECTIONS) {
    const name = `${many} ${many === 1 ? 'connection' : 'connections'}`;
    const speed = await requestsPerSecond(port, requests, 10 * many, many);
    const count = Math.max(2, Math.round((speed * seconds) / many)) * many;
    await requestsPerSecond(port, requests, count, many);
    const run = async (): Promise<number> => {
      const found = await underLoad(port, requests, count, many);
      for (const [figure, share] of [
        ['p50', 0.5],
        ['p99', 0.99],
      ] as const) {
        const values = times[figure].get(name) ?? [];
        times[figure].set(name, [...values, percentile(found.latencies, share)]);
      }
      return found.perSecond;
    };
    contestants.push({ name, run });
  }
  const figures = await inTurns(work, contestants, rounds, perSecond);
  const waits = Object.entries(times).flatMap(([figure, found]) =>
    grown(
      `${work}, ${figure}`,
      [...found].map(([name, values]) => ({ name, values })),
      milliseconds,
    ),
  );
  return [...grown(`${work}, requests a second`, figures, perSecond), ...waits];
}
