import { type Client, type PoolClient, Query } from 'pg';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { entering, queryEntered, type Entry } from '../../libs/platform/src/database/entered-query';
import { APP_ROLE } from '../../libs/platform/src/database/roles';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';

const app = perFile(() => TestApp.start());

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const TEXTS = 14;
const LENGTH = 24_000;
const READS = 20;
const STATEMENT = {
  name: 'texts',
  text: `SELECT repeat('È', ${LENGTH}) AS item FROM generate_series(1, ${TEXTS})`,
  values: [],
};

/** Returns the share of the texts of several reads that is in memory after two collections of the young generation. */
async function shareKept(read: () => Promise<unknown>): Promise<number> {
  for (let warm = 0; warm < READS; warm++) await read();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let reads = 0; reads < READS; reads++) await read();
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return (process.memoryUsage().heapUsed - before) / (READS * TEXTS * LENGTH);
}

let client: PoolClient;
let entry: Entry;
beforeAll(async () => {
  const { tenantId } = await app.tenant();
  entry = [APP_ROLE, tenantId, 'on', ''];
  const connection = await app.connect();
  await connection.query(entering(entry));
  client = connection as unknown as PoolClient;
});
afterAll(() => (client as unknown as Client).end());

it('rows leave the memory with the next collection of the young generation', async () => {
  expect(await shareKept(() => queryEntered(client, entry, STATEMENT))).toBeLessThan(0.3);
});

it('control: rows stay if a function that is assigned where it is written reaches them', async () => {
  const read = (): Promise<unknown> =>
    new Promise((resolve) => {
      const query = new Query(STATEMENT.text, [], (_error, result) => resolve(result));
      const submit = query.submit.bind(query);
      query.submit = (connection) => submit(connection);
      client.query(query);
    });
  expect(await shareKept(read)).toBeGreaterThan(0.7);
});
