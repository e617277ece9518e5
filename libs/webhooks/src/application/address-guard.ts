import ipaddr from 'ipaddr.js';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';

/** Addresses of a name, or the reason for the failed lookup. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** An address that events must not be sent to. The message is for the endpoint's owner. */
export class AddressRefused extends Error {}

/** Connect timeout per address, in ms. */
const CONNECT_TIMEOUT_MS = 5_000;
const MOST_ADDRESSES = 4;

/** Whether an address is of the public internet and of one machine: no private, local, shared or tunnelled one. */
export function isPublicUnicast(address: string): boolean {
  // The library also accepts notations that other parsers reject, such as 0x08080808.
  if (!isIP(address) || address.includes('%')) return false;
  const ip = ipaddr.parse(address);
  if (ip.range() !== 'unicast') return false;
  // The library calls all that is not reserved unicast; IANA has given out 2000::/3 only.
  return ip.kind() === 'ipv4' || ((ip as ipaddr.IPv6).parts[0]! & 0xe000) === 0x2000;
}

/**
 * What is wrong with the address of an endpoint as it is written, or undefined. What its name stands for is checked
 * when it is connected to.
 */
export function addressFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'is not an address (https://…)';
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (url.port !== '') return 'must use port 443, which is https’s own';
  if (url.username || url.password)
    return 'must not have a user or a password: receivers check the signature';
  if (text.includes('#')) return 'must not have a fragment, which no receiver sees';
  const host = hostOf(url);
  if (isIP(host) ? !isPublicUnicast(host) : isLocalName(host)) return 'must be of the public internet';
  return undefined;
}

/** The least that holds in development, where events may go anywhere (`WEBHOOK_ALLOW_INSECURE`). */
export function insecureAddressFault(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !text.includes('#')
    ? undefined
    : 'is not an address (http://… or https://…, without user and fragment)';
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '').toLowerCase();
  return !name.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}

/**
 * Connects to public addresses only: names are resolved here, every address that they stand for is checked, and the
 * connection goes to the address that was checked, so that a name that changes its mind in between gains nothing.
 */
export function guardedConnector(resolve: Resolve): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  const connectOnce = (options: buildConnector.Options): Promise<NonNullable<Socket>> =>
    new Promise((succeed, fail) => {
      connect(options, (error, socket) => {
        if (error) fail(error);
        else if (isPublicUnicast(socket.remoteAddress ?? '')) succeed(socket);
        else {
          socket.destroy();
          fail(new AddressRefused('The connection led to an address that is not public.'));
        }
      });
    });
  return (options, callback) => {
    void (async () => {
      let failure: unknown;
      for (const hostname of await publicAddresses(options.hostname, resolve)) {
        try {
          return await connectOnce({ ...options, hostname });
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    })().then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error as Error, null),
    );
  };
}

type Socket = Parameters<buildConnector.Callback>[1];

/** @throws AddressRefused unless all of them are public */
async function publicAddresses(hostname: string, resolve: Resolve): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host);
  if (addresses.length === 0) throw new AddressRefused('The name has no address.');
  if (!addresses.every(isPublicUnicast))
    throw new AddressRefused('The name stands for an address that is not public.');
  return addresses.slice(0, MOST_ADDRESSES);
}

/**
 * Asks the name servers. Not the system's own look-up: that one blocks a thread of a few, and a name server that hangs
 * would delay every endpoint.
 */
export function createResolver(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found;
  };
}
