import { baseline } from './employees';
import { bytesOf, type Request, underLoad } from './load';
import { grown, perSecond, type Row } from './report';
import { type Contestant, inTurns } from './rounds';
import { type Effort, type Work } from './work';
import { type Tenant, type World } from './world';

/** Measures what further cells cost or gain: the same data spaces, spread over one, two and three servers. */

const MOST_CELLS = 3;
const TENANTS = 6;
const EMPLOYEES = 500;
const CONNECTIONS = 16;
const PATH = '/b2b/v1/employe';

async function measure(world: World, { rounds, seconds }: Effort): Promise<Row[]> {
  const servers: string[] = [];
  const contestants: Record<'reads' | 'writes', Contestant[]> = { reads: [], writes: [] };
  for (let cells = 1; cells <= MOST_CELLS; cells++) {
    if (cells > 1) servers.push(await world.newServer());
    // A server has one database of the product for each number of cells.
    const site = await world.newSite(await Promise.all(servers.map((url) => emptied(world, url, cells))));
    const tenants: Tenant[] = [];
    for (let number = 0; number < TENANTS; number++) {
      const tenant = await site.newTenant(`Cells ${cells}`);
      await site.call('/b2b/v1/employe/sync', tenant.key, { employes: baseline(EMPLOYEES) });
      tenants.push(tenant);
    }
    const each = (request: (number: number) => Request): Buffer[] =>
      Array.from({ length: TENANTS * 50 }, (_, number) => {
        const { key } = tenants[number % TENANTS]!;
        return bytesOf({ headers: { 'X-Api-Key': key }, ...request(number) });
      });
    const reads = each((number) => ({
      method: 'GET',
      path: `${PATH}/${baseline(EMPLOYEES)[number]!.idExterne}`,
    }));
    const writes = each((number) => ({
      method: 'PUT',
      path: PATH,
      body: Buffer.from(JSON.stringify(baseline(EMPLOYEES)[number])),
    }));
    const name = `${cells} cell${cells > 1 ? 's' : ''}`;
    const add = (kind: 'reads' | 'writes', requests: readonly Buffer[], perSecondAbout: number): void => {
      const run = async (): Promise<number> =>
        (await underLoad(site.api.port, requests, Math.ceil(seconds * perSecondAbout), CONNECTIONS))
          .perSecond;
      contestants[kind].push({ name, run });
    };
    add('reads', reads, 2_000);
    add('writes', writes, 600);
  }
  const rows: Row[] = [];
  for (const kind of ['reads', 'writes'] as const) {
    for (const one of contestants[kind]) await one.run();
    const title = `${kind} of one employee, ${TENANTS} data spaces, ${CONNECTIONS} connections`;
    rows.push(
      ...grown(title, await inTurns(`cells ${kind}`, contestants[kind], rounds, perSecond), perSecond),
    );
  }
  return rows;
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
