import { clientConfig } from '../../libs/platform/src/database/client-config';
import { PrimaryClient, primaryUrlOf } from '../../libs/topology/src/routing/primary';
import { Wire } from '../http/wire';
import { ReplicatedPostgres } from '../reliability/support/standby';

const REFUSED = { code: 'ECONNREFUSED', message: 'No server of DATABASE_URL is the primary.' };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function pairOf(): Promise<ReplicatedPostgres> {
  const pair = await ReplicatedPostgres.start();
  ends.push(() => pair.stop());
  return pair;
}

/** A connection as the pools make it. */
async function connect(url: string): Promise<PrimaryClient> {
  const client = new PrimaryClient(clientConfig(url, 'test'));
  client.on('error', () => undefined);
  await client.connect();
  ends.push(() => client.end());
  return client;
}

async function portOf(client: PrimaryClient): Promise<number> {
  const { rows } = await client.query<{ port: number }>('SELECT inet_server_port() AS port');
  return rows[0]!.port;
}

const ended = (client: PrimaryClient): Promise<void> =>
  new Promise((resolve) => void client.once('end', resolve));

describe('DATABASE_URL with several servers', () => {
  it('connects to the primary, then to its successor; refuses the old primary when it comes back', async () => {
    const pair = await pairOf();
    const { url } = pair;
    const [old, successor] = [pair.primary, pair.standby];
    expect(await portOf(await connect(url))).toBe(old.port);
    expect(new URL(await primaryUrlOf(url)).port).toBe(String(old.port));

    await old.kill();
    // The first failure is the old server's, which was the primary until then.
    await expect(connect(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(connect(url)).rejects.toMatchObject(REFUSED);
    await pair.promote();
    expect(await portOf(await connect(url))).toBe(successor.port);

    await pair.revive();
    expect(await portOf(await connect(url))).toBe(successor.port);
    await successor.kill();
    await expect(connect(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    // The old primary takes writes, and is the only server that answers.
    expect(await old.query('SELECT pg_is_in_recovery() AS standby')).toEqual([{ standby: false }]);
    await expect(connect(url)).rejects.toMatchObject(REFUSED);
    await successor.restart();
    expect(await portOf(await connect(url))).toBe(successor.port);
    // Another URL has no memory of a primary, like a process that begins while both servers take writes.
    expect(await portOf(await connect(`${url}&application_name=other`))).toBe(successor.port);
  });

  it('reports the end of a connection that was never begun, and its owner makes another', async () => {
    const url = 'postgres://127.0.0.1:1,127.0.0.1:2/nowhere?target_session_attrs=read-write';
    const client = new PrimaryClient(clientConfig(url, 'test'));
    const end = ended(client);
    const failure = await new Promise((resolve) => client.connect(resolve));
    expect(failure).toMatchObject(REFUSED);
    await end;
    expect(() => client.cut()).not.toThrow();
    await expect(primaryUrlOf(url)).rejects.toMatchObject(REFUSED);
  });
});

describe('DATABASE_URL with one address and target_session_attrs=read-write', () => {
  it('refuses a standby and an old primary behind the address, and ends connections to the old primary', async () => {
    const pair = await pairOf();
    const { wire, url: address } = await Wire.lay(pair.primary.url);
    ends.push(() => wire.cut());
    const url = `${address}?target_session_attrs=read-write`;
    const [old, successor] = [pair.primary, pair.standby];
    const stale = await connect(url);
    expect(await portOf(stale)).toBe(old.port);

    wire.leadTo(successor.url);
    await expect(connect(url)).rejects.toMatchObject(REFUSED);
    // Without the attribute, any server is accepted.
    expect(await portOf(await connect(address))).toBe(successor.port);
    await pair.promote();
    const staleEnds = ended(stale);
    expect(await portOf(await connect(url))).toBe(successor.port);
    await staleEnds;

    wire.leadTo(old.url);
    await expect(connect(url)).rejects.toMatchObject(REFUSED);
    wire.leadTo(successor.url);
    expect(await portOf(await connect(url))).toBe(successor.port);
  });
});
