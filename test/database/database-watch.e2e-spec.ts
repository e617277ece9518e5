import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { createPipelinedPool } from '#platform/database/connections';
import { DatabaseWatch } from '#platform/database/database-watch';
import { Wire } from '../http/wire';
import { asService } from '../setup/service-login';
import { cloneTemplate } from '../setup/test-app';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A watched pool over a network that the test breaks, and the warnings of its watch. */
async function watched(): Promise<{ wire: Wire; pool: Pool; warnings: object[] }> {
  const { wire, url } = await Wire.lay(asService(await cloneTemplate()));
  const warnings: object[] = [];
  const logger = { warn: (fields: object) => warnings.push(fields) } as unknown as Logger;
  const watch = new DatabaseWatch(url, 'api', logger);
  const pool = createPipelinedPool({ url, size: 2, applicationName: 'test', watch }, () => undefined);
  ends.push(
    () => wire.cut(),
    () => watch.stop(),
    () => pool.end(),
  );
  return { wire, pool, warnings };
}

async function leased(pool: Pool): Promise<PoolClient> {
  const client = await pool.connect();
  ends.push(() => client.release(true));
  return client;
}

describe('The watch over connections', () => {
  it('ends silent ones also if its own connection was never made', async () => {
    const { wire, pool, warnings } = await watched();
    const client = await leased(pool);
    wire.swallowsNew = true;
    wire.deafen();
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(warnings).toEqual([{ connections: 1, reached: 'away' }]);
  });

  it('leaves a long statement alone if only new connections fail and others receive data', async () => {
    const { wire, pool, warnings } = await watched();
    const [client, other] = [await leased(pool), await leased(pool)];
    wire.swallowsNew = true;
    let isOver = false;
    // Two attempts at its own connection fail meanwhile.
    const long = client.query('SELECT pg_sleep(10)').finally(() => (isOver = true));
    while (!isOver) await other.query('SELECT pg_sleep(0.2)');
    await long;
    expect(warnings).toEqual([]);
  });
});
