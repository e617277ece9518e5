import { setTimeout as sleep } from 'node:timers/promises';
import { baseline } from './employees';
import { bytesOf, type Request, underLoad } from './load';
import { say } from './progress';
import { grown, perSecond, type Row } from './report';
import { inTurns } from './rounds';
import { type Effort, type Work } from './work';
import { type Site, type Tenant, type World } from './world';

/** Measures what further servers cost or gain: the same data spaces in one to three cells, and on one server with a standby. */

const MOST_CELLS = 3;
const TENANTS = 6;
const EMPLOYEES = 500;
const CONNECTIONS = 16;
const PATH = '/b2b/v1/employe';

/** A connection that has become idle adds its transactions to PostgreSQL's counters after 10 s. */
const COUNTED_MS = 11_000;

/** The product on some servers, with its data spaces. */
interface Spread {
  readonly name: string;
  readonly site: Site;
  readonly tenants: readonly Tenant[];
}

interface Kind {
  readonly name: string;
  readonly perSecondAbout: number;
  readonly request: (number: number) => Request;
}

const KINDS: readonly Kind[] = [
  {
    name: 'reads',
    perSecondAbout: 2_000,
    request: (number) => ({ method: 'GET', path: `${PATH}/${baseline(EMPLOYEES)[number]!.idExterne}` }),
  },
  {
    name: 'writes',
    perSecondAbout: 600,
    request: (number) => ({
      method: 'PUT',
      path: PATH,
      body: Buffer.from(JSON.stringify(baseline(EMPLOYEES)[number])),
    }),
  },
];

async function measure(world: World, effort: Effort): Promise<Row[]> {
  const spreads = await spreadsOf(world);
  const rows: Row[] = [];
  for (const kind of KINDS) rows.push(...(await compared(spreads, kind, effort)));
  return rows;
}

async function spreadsOf(world: World): Promise<Spread[]> {
  const spreads: Spread[] = [];
  const add = async (name: string, site: Site): Promise<void> => {
    const tenants: Tenant[] = [];
    for (let number = 0; number < TENANTS; number++) {
      const tenant = await site.newTenant(name);
      await site.call('/b2b/v1/employe/sync', tenant.key, { employes: baseline(EMPLOYEES) });
      tenants.push(tenant);
    }
    spreads.push({ name, site, tenants });
  };
  await add('1 server', await world.newSite());
  const primary = await world.newServer();
  const standbys = [await world.newStandby(primary)];
  await add('1 server and a standby', await world.newSite({ directory: primary.url, standbys }));
  const servers: string[] = [];
  for (let count = 2; count <= MOST_CELLS; count++) {
    servers.push((await world.newServer()).url);
    // A server has one database of the product for each number of cells.
    const cells = await Promise.all(servers.map((url) => emptied(world, url, count)));
    await add(`${count} cells`, await world.newSite({ cells }));
  }
  return spreads;
}

/** Returns a line with the speed of each spread, and one with the transactions of each of its servers. */
async function compared(
  spreads: readonly Spread[],
  { name: kind, perSecondAbout, request }: Kind,
  { rounds, seconds }: Effort,
): Promise<Row[]> {
  const count = Math.ceil(seconds * perSecondAbout);
  const contestants = spreads.map(({ name, site, tenants }) => {
    const requests = Array.from({ length: TENANTS * 50 }, (_, number) =>
      bytesOf({ headers: { 'X-Api-Key': tenants[number % TENANTS]!.key }, ...request(number) }),
    );
    return {
      name,
      run: async () => (await underLoad(site.api.port, requests, count, CONNECTIONS)).perSecond,
    };
  });
  const before = await Promise.all(spreads.map(({ site }) => site.transactions()));
  for (const one of contestants) await one.run();
  const figures = await inTurns(`cells ${kind}`, contestants, rounds, perSecond);
  say(`cells ${kind}: waiting for PostgreSQL's counters`);
  await sleep(COUNTED_MS);
  const after = await Promise.all(spreads.map(({ site }) => site.transactions()));
  const sent = count * (rounds + 1);
  return [
    ...grown(
      `${kind} of one employee, ${TENANTS} data spaces, ${CONNECTIONS} connections, a second`,
      figures,
      perSecond,
    ),
    ...spreads.map(({ name }, at) => ({
      work: `transactions of each server for one of these ${kind}`,
      contestant: name,
      figure: after[at]!.map((all, server) => ((all - before[at]![server]!) / sent).toFixed(2)).join(' + '),
    })),
  ];
}

/** Makes a database on a server. @returns its URL */
async function emptied(world: World, server: string, cells: number): Promise<string> {
  const client = await world.connect(server);
  await client.query(`CREATE DATABASE of_${cells}_cells`);
  const url = new URL(server);
  url.pathname = `of_${cells}_cells`;
  return url.href;
}

export const CELLS: readonly Work[] = [{ name: 'cells', measure }];
