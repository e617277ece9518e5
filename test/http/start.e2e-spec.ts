import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { cloneTemplate } from '../setup/test-app';
import { Child, THIS_RELEASE } from './child-process';

/** Another address of this machine than 127.0.0.1. */
const OTHER_ADDRESS =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address ?? '127.0.0.2';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await cloneTemplate();
});

/** Returns whether a process accepts connections at an address of this machine. */
async function takes(child: Child, host: string): Promise<boolean> {
  const socket = connect({ host, port: Number(new URL(child.url).port) });
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ECONNREFUSED');
    return false;
  } finally {
    socket.destroy();
  }
}

async function start(app: 'partner-api' | 'worker', env: Record<string, string> = {}): Promise<Child> {
  return Child.start(app, { DATABASE_URL: databaseUrl, SHUTDOWN_DELAY_MS: '0', ...env });
}

/** Returns the addresses that a process listens on: 127.0.0.1, another address of this machine. */
async function listens(child: Child): Promise<boolean[]> {
  return [await takes(child, '127.0.0.1'), await takes(child, OTHER_ADDRESS)];
}

describe.each([
  ['partner-api', 'mandat-api'],
  ['worker', 'mandat-worker'],
] as const)('the process %s', (app, serviceName) => {
  let child: Child;
  beforeAll(async () => {
    child = await start(app);
  });
  afterAll(() => child.stop());

  it('listens on 127.0.0.1 only', async () => {
    expect(await listens(child)).toEqual([true, false]);
  });

  it('has its own name and the version of the release in its metrics, and not the path of its executable', async () => {
    const text = await (await fetch(`${child.url}/metrics`)).text();
    const { version } = JSON.parse(readFileSync(join(THIS_RELEASE, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(text.match(/^target_info.*$/gm)).toEqual([
      `target_info{service_name="${serviceName}",service_version="${version}"} 1`,
    ]);
    for (const part of [process.execPath, 'unknown_service']) expect(text).not.toContain(part);
  });
});

it.each<[what: string, env: Record<string, string>, others: boolean]>([
  ['on all interfaces with HOST=0.0.0.0', { HOST: '0.0.0.0' }, true],
  ['on all interfaces in production', { NODE_ENV: 'production' }, true],
  ['on the address of HOST in production', { NODE_ENV: 'production', HOST: '127.0.0.1' }, false],
])('the API listens %s', async (_what, env, others) => {
  const child = await start('partner-api', env);
  expect(await listens(child)).toEqual([true, others]);
  await child.stop();
});

it('a worker of production needs no ADMIN_API_KEY, and listens on all interfaces', async () => {
  const child = await start('worker', { NODE_ENV: 'production', ADMIN_API_KEY: '' });
  expect(await listens(child)).toEqual([true, true]);
  await child.stop();
});

it.each([
  ['HOST 192.0.2.1 is not an address of this machine.', { HOST: '192.0.2.1' }],
  [
    'ADMIN_API_KEY must be set to a secret of 32 characters or more.',
    { NODE_ENV: 'production', ADMIN_API_KEY: '' },
  ],
])('the API does not start, with the reason in one line: %s', async (why, env) => {
  const child = await Child.spawn('partner-api', { DATABASE_URL: databaseUrl, ...env });
  expect([await child.exited, child.errors]).toEqual([1, `${why}\n`]);
});
