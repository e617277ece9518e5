import { setTimeout as sleep } from 'node:timers/promises';
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
async function watched(isShared = false): Promise<{ wire: Wire; pool: Pool; warnings: object[] }> {
  const { wire, url } = await Wire.lay(asService(await cloneTemplate()));
  const warnings: object[] = [];
  const logger = { warn: (fields: object) => warnings.push(fields) } as unknown as Logger;
  const watch = new DatabaseWatch(url, 'api', logger);
  const pool = createPipelinedPool(
    { url, size: 2, applicationName: 'test', watch, isShared },
    () => undefined,
  );
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

  it('ends a shared connection with a silent statement, though others are sent behind it', async () => {
    const looks = jest.spyOn(global, 'setInterval');
    const { pool, warnings } = await watched(true);
    const client = await leased(pool);
    const look = looks.mock.calls.find(([, ms]) => ms === 500)![0];
    looks.mockRestore();
    const behind: Promise<unknown>[] = [client.query('SELECT pg_sleep(60)')];
    // Quiet for longer than a statement may be, but without a statement.
    const idle = await leased(pool);
    for (let looked = 0; looked < 70; looked++) {
      look();
      await sleep(20);
      behind.push(client.query('SELECT 1'));
    }
    const results = await Promise.allSettled(behind);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(results[0]).toMatchObject({ reason: { code: 'ETIMEDOUT' } });
    expect((await idle.query('SELECT 1')).rowCount).toBe(1);
    look();
    expect((await idle.query('SELECT 1')).rowCount).toBe(1);
    expect(warnings).toEqual([]);
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
