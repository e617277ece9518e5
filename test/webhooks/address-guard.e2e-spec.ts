import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Config } from '../../libs/platform/src/ops/config';
import { AddressRefused, GuardedAgent } from '../../libs/webhooks/src/application/address-guard';
import { Sender } from '../../libs/webhooks/src/application/sender';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { selfSigned } from './support/certificate';
import { hostile, INTERNAL, LOOPBACK } from './support/internal-forms';
import { Canary, layNetwork, Witness } from './support/network';
import { Receiver, until } from './support/receiver';
import { register, scene, sign } from './support/signed';

const HEADERS = { 'content-type': 'application/json' };

/** The first listens on the loopback addresses, the second on every address of this machine. */
let canaries: [Canary, Canary];
let witness: Witness;

beforeAll(async () => {
  canaries = [await Canary.start('127.0.0.1', '::1'), await Canary.start('::')];
  witness = new Witness();
});
afterAll(() => {
  witness.end();
  for (const canary of canaries) canary.stop();
});
beforeEach(() => {
  witness.forget();
  for (const canary of canaries) canary.connections = 0;
});

const reached = (): number => canaries[0].connections + canaries[1].connections;

/** Waits until connections that have begun have arrived, which takes less than this on one machine. */
/** Result of a name that does not lead to public addresses only. */
const NO_PUBLIC_ADDRESS = 'Not sent: the name must have one or more addresses, all of them public.';

const refusedLookup = (code: string): Promise<never> =>
  Promise.reject(Object.assign(new Error(code), { code }));

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

/**
 * Sends a request.
 *
 * @returns the error, or undefined after a response
 */
async function reasonOf(agent: Agent, url: string): Promise<unknown> {
  try {
    const [answer] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage];
    answer.resume();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe(`Internal addresses in ${INTERNAL.length} forms`, () => {
  it.each(INTERNAL)('the agent opens no connection for $name', async ({ url }) => {
    const agent = new GuardedAgent(hostile);
    for (const { port } of canaries)
      expect(await reasonOf(agent, url('https', port))).toBeInstanceOf(AddressRefused);
    agent.destroy();
    expect(witness.connections).toEqual([]);
    expect(reached()).toBe(0);
  });

  it.each(INTERNAL)('the sender opens no connection for $name', async ({ url }) => {
    const sender = new Sender({ allowInsecure: false, resolve: hostile });
    const urls = canaries.flatMap(({ port }) => [url('http', port), url('https', port)]);
    for (const one of [...urls, url('http'), url('https')]) {
      const { statut, reponse, timedOut } = await sender.post(one, HEADERS, '{}');
      expect({ statut, reponse, timedOut }).toEqual({
        statut: null,
        reponse: expect.stringMatching(/^Not sent: /),
        timedOut: false,
      });
    }
    sender.close();
    expect(witness.connections).toEqual([]);
    expect(reached()).toBe(0);
  });

  it('all forms at once: no late connection reaches the canaries', async () => {
    const sender = new Sender({ allowInsecure: false, resolve: hostile });
    const agent = new GuardedAgent(hostile);
    await Promise.all(
      INTERNAL.flatMap(({ url }) => [
        sender.post(url('https'), HEADERS, '{}'),
        reasonOf(agent, url('https', canaries[0].port)),
        reasonOf(agent, url('https', canaries[1].port)),
      ]),
    );
    sender.close();
    agent.destroy();
    await settle();
    expect(witness.connections).toEqual([]);
    expect(reached()).toBe(0);
  });
});

describe(`Without the guard, the canaries and the witness see connections: ${LOOPBACK.length} forms of this machine`, () => {
  it.each(LOOPBACK)('an agent without the guard connects for $name', async ({ url }) => {
    const agent = new Agent({ lookup });
    // Half of 127.0.0.0/8 reaches only the canary that listens on every address.
    for (const { port } of canaries)
      expect(await reasonOf(agent, url('https', port))).not.toBeInstanceOf(AddressRefused);
    agent.destroy();
    await until('the canary is reached', () => canaries[1].connections === 1);
    expect(witness.connections.length).toBeGreaterThanOrEqual(2);
  });

  it.each(['127.0.0.1', '[::1]', 'localhost', '2130706433', '[::ffff:7f00:1]'])(
    'a sender with `allowInsecure` connects for %s',
    async (host) => {
      const sender = new Sender({ allowInsecure: true });
      await sender.post(`http://${host}:${canaries[0].port}/`, HEADERS, '{}');
      sender.close();
      await until('the canary is reached', () => reached() === 1);
      expect(witness.connections).toHaveLength(1);
    },
  );

  /** Looks up a name with the hostile name server, like the system's look-up. */
  function lookup(
    hostname: string,
    _options: unknown,
    callback: (error: null, found: { address: string; family: number }[]) => void,
  ): void {
    void hostile(hostname).then((addresses) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  }
});

describe('A name of the public internet', () => {
  const NAME = 'hook.example';
  const PUBLIC = '8.8.8.8';
  const URL = `https://${NAME}/hook`;
  let server: Server;
  let trusted: string[];
  let receive: (request: IncomingMessage, response: ServerResponse) => void;
  let served: string[];
  let takeDown: () => void;
  /** Addresses of the name at each look-up; the last entry repeats. */
  let answers: string[][];
  let lookups: number;
  let look: (addresses: string[]) => Promise<string[]>;
  let sender: Sender;
  /** Hosts of connections to port 443. */
  let routed: string[];

  beforeAll(async () => {
    const { cert, key } = selfSigned(NAME);
    trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, cert]);
    server = createServer({ cert, key }, (incoming, response) => {
      const { servername } = incoming.socket as Socket & { servername: string };
      served.push(`${incoming.method} ${incoming.url} host ${incoming.headers.host} sni ${servername}`);
      receive(incoming, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    // All other addresses lead to the canary, which stands for an internal service.
    takeDown = layNetwork((host) => {
      routed.push(host);
      return host === PUBLIC ? port : canaries[1].port;
    });
  });
  afterAll(() => {
    takeDown();
    setDefaultCACertificates(trusted);
    server.close();
  });
  beforeEach(() => {
    served = [];
    routed = [];
    lookups = 0;
    answers = [[PUBLIC]];
    look = (addresses) => Promise.resolve(addresses);
    // Closes the connection because the next attempt must open its own.
    receive = (_request, response) => void response.writeHead(204, { connection: 'close' }).end();
    sender = new Sender({
      allowInsecure: false,
      resolve: () => look(answers[Math.min(lookups++, answers.length - 1)]!),
    });
  });
  afterEach(() => sender.close());

  const post = async (url = URL): Promise<[number | null, string]> => {
    const { statut, reponse } = await sender.post(url, HEADERS, '{}');
    return [statut, reponse];
  };

  it('connects to the checked address, and the certificate is checked against the name', async () => {
    expect(await post()).toEqual([204, '']);
    expect(served).toEqual([`POST /hook host ${NAME} sni ${NAME}`]);
    expect(routed).toEqual([PUBLIC]);
    expect(lookups).toBe(1);
    expect((await post('https://other.example/hook'))[1]).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
    expect(served).toHaveLength(1);
  });

  it('a name that becomes internal after the check stays harmless: each connection looks it up once', async () => {
    answers = [[PUBLIC], ['127.0.0.1']];
    expect(await post()).toEqual([204, '']);
    expect(routed).toEqual([PUBLIC]);
    expect(lookups).toBe(1);
    expect(reached()).toBe(0);
  });

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254'])(
    'an address that was public at the first attempt and is %s at the second is rejected, and accepted again later',
    async (internal) => {
      answers = [[PUBLIC], [internal], [PUBLIC, internal], [PUBLIC]];
      expect(await post()).toEqual([204, '']);
      const refusal = [null, NO_PUBLIC_ADDRESS];
      expect(await post()).toEqual(refusal);
      expect(await post()).toEqual(refusal);
      expect(await post()).toEqual([204, '']);
      await settle();
      expect(routed).toEqual([PUBLIC, PUBLIC]);
      expect(lookups).toBe(4);
      expect(reached()).toBe(0);
    },
  );

  it.each<[string, () => Promise<string[]>]>([
    ['has no address', () => Promise.resolve([])],
    ['does not exist', () => refusedLookup('ENOTFOUND')],
    ['cannot be looked up', () => refusedLookup('ESERVFAIL')],
    ['is looked up for too long by its name server', () => refusedLookup('ETIMEOUT')],
    ['has an internal address', () => Promise.resolve(['10.0.0.1'])],
    ['has an internal address, by a slower lookup', async () => (await settle(), ['10.0.0.1'])],
    ['has a public and an internal address', () => Promise.resolve([PUBLIC, '10.0.0.1'])],
  ])('a name that %s gets no request, and the same answer after a second', async (_what, lookup) => {
    look = lookup;
    const begun = performance.now();
    expect(await sender.post(URL, HEADERS, '{}')).toEqual({
      ...{ statut: null, reponse: NO_PUBLIC_ADDRESS, timedOut: false },
    });
    expect(performance.now() - begun).toBeGreaterThan(990);
    expect(routed).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])('a redirect with %i is not followed', async (status) => {
    for (const location of [
      `http://127.0.0.1:${canaries[0].port}/`,
      `https://[::1]:${canaries[1].port}/`,
      'https://127.0.0.1/',
      `https://${NAME}/elsewhere`,
    ]) {
      receive = (_request, response) =>
        void response.writeHead(status, { location, connection: 'close' }).end('moved');
      expect(await post()).toEqual([status, 'moved']);
    }
    await settle();
    expect(routed).toEqual([PUBLIC, PUBLIC, PUBLIC, PUBLIC]);
    expect(served).toHaveLength(4);
    expect(reached()).toBe(0);
  });

  it('control: connections go through the stand-in network; without the guard, internal addresses reach the canary', async () => {
    const unguarded = new Sender({ allowInsecure: true });
    for (const host of ['127.0.0.1', '[::1]', 'loop.example', '2130706433'])
      await unguarded.post(`https://${host}/`, HEADERS, '{}');
    unguarded.close();
    await settle();
    expect(routed).toHaveLength(4);
    expect(canaries[1].connections).toBe(4);
  });
});

describe('With WEBHOOK_ALLOW_INSECURE, for development', () => {
  it.each([301, 302, 307, 308])('a redirect with %i is not followed either', async (status) => {
    const receiver = await Receiver.start();
    receiver.behaviours.set('/moved', (_received, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${canaries[0].port}/` }).end();
    });
    const sender = new Sender({ allowInsecure: true });
    expect((await sender.post(`${receiver.url}/moved`, HEADERS, '{}')).statut).toBe(status);
    sender.close();
    await settle();
    expect(receiver.received).toHaveLength(1);
    expect(reached()).toBe(0);
    await receiver.stop();
  });
});

describe('An endpoint that was registered with WEBHOOK_ALLOW_INSECURE', () => {
  it('a worker with the guard never connects to it, and the log says so', async () => {
    const app = await TestApp.start({ webhookAllowInsecure: true });
    const place = await scene(app);
    const endpoints = [];
    for (const { port } of canaries) {
      for (const url of [`http://127.0.0.1:${port}/`, `https://[::1]:${port}/`, `http://localhost:${port}/`])
        endpoints.push(await register(app, place, url));
    }
    await sign(app, place);
    const worker = await startWorker(new Config({ ...app.config, webhookAllowInsecure: false }));
    for (const { id } of endpoints) {
      const log = async () => (await app.send(place.tenant, 'GET', `/b2b/v2/webhook/${id}/livraisons`)).json;
      await until('an attempt is noted', async () => (await log())[0]?.tentatives.length > 0);
      const [livraison] = await log();
      expect(livraison).toMatchObject({
        etat: 'EnAttente',
        tentatives: [{ statut: null, reponse: expect.stringMatching(/^Not sent: the address must /) }],
      });
    }
    await worker.close();
    await app.stop();
    await settle();
    expect(
      witness.connections.filter((one) => canaries.some(({ port }) => one.endsWith(` ${port}`))),
    ).toEqual([]);
    expect(reached()).toBe(0);
  });
});
