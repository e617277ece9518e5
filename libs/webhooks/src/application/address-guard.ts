import ipaddr from 'ipaddr.js';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { fr, type Text } from '#platform/errors/text';

/** Addresses of a name, or the reason for the failed lookup. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Thrown for a name that does not lead to public addresses only, and for one that leads nowhere. Its owner must not learn which
 * of both is so, because the names of the operator's network could be guessed by it.
 */
export class AddressRefused extends Error {
  constructor() {
    super('the name must have one or more addresses, all of them public.');
  }
}

/** Connect timeout per address, in ms; and the time from the lookup on after which no other address is tried. */
const CONNECT_TIMEOUT_MS = 5_000;
const MOST_CONNECTING_MS = 10_000;
const MOST_ADDRESSES = 4;

/** Whether an address belongs to one machine on the public internet: not private, local, shared or tunnelled. */
export function isPublicUnicast(address: string): boolean {
  // The library also accepts notations that other parsers reject, such as 0x08080808.
  if (!isIP(address) || address.includes('%')) return false;
  const ip = ipaddr.parse(address);
  if (ip.range() !== 'unicast') return false;
  // The library calls every address unicast that is not reserved; IANA has assigned 2000::/3 only.
  return ip.kind() === 'ipv4' || ((ip as ipaddr.IPv6).parts[0]! & 0xe000) === 0x2000;
}

const ADDRESS_FAULTS = {
  none: { en: 'is not an address (https://…)', fr: fr("n'est pas une adresse (https://…)") },
  protocol: { en: 'must begin with https://', fr: fr('doit commencer par https://') },
  port: {
    en: 'must use port 443, the port of https',
    fr: fr('doit utiliser le port 443, celui de https'),
  },
  user: {
    en: 'must not have a user or a password: receivers check the signature',
    fr: fr('ne doit avoir ni utilisateur ni mot de passe : les récepteurs vérifient la signature'),
  },
  fragment: {
    en: 'must not have a fragment, because receivers do not get it',
    fr: fr('ne doit pas avoir de fragment, car les récepteurs ne le reçoivent pas'),
  },
  private: {
    en: 'must be on the public internet',
    fr: fr("doit être dans l'Internet public"),
  },
  insecure: {
    en: 'is not an address (http://… or https://…, without user and fragment)',
    fr: fr("n'est pas une adresse (http://… ou https://…, sans utilisateur ni fragment)"),
  },
} as const satisfies Record<string, Text>;

/**
 * Returns the error in the address of an endpoint, or undefined. Connecting checks the addresses that its name resolves
 * to.
 */
export function addressFault(text: string): Text | undefined {
  const url = URL.parse(text);
  if (!url) return ADDRESS_FAULTS.none;
  if (url.protocol !== 'https:') return ADDRESS_FAULTS.protocol;
  if (url.port !== '') return ADDRESS_FAULTS.port;
  if (url.username || url.password) return ADDRESS_FAULTS.user;
  if (text.includes('#')) return ADDRESS_FAULTS.fragment;
  const host = unbracketed(url.hostname);
  if (isIP(host) ? !isPublicUnicast(host) : isLocalName(host)) return ADDRESS_FAULTS.private;
  return undefined;
}

/** Returns the error in an address in development, where events may go to any host (`WEBHOOK_ALLOW_INSECURE`). */
export function insecureAddressFault(text: string): Text | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !text.includes('#')
    ? undefined
    : ADDRESS_FAULTS.insecure;
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '').toLowerCase();
  return !name.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}

/**
 * Connects to public addresses only: resolves the name, checks all its addresses, and connects to a checked address. A name
 * that resolves to another address in between has no effect.
 */
export class GuardedAgent extends Agent {
  constructor(
    private readonly resolve: Resolve,
    options: AgentOptions = {},
  ) {
    super(options);
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.connectToOne(options).then(
      (socket) => callback!(null, socket),
      (error: Error) => callback!(error, undefined as never),
    );
  }

  private async connectToOne(options: RequestOptions): Promise<Socket> {
    let failure: unknown;
    // An attempt that is out of time keeps its body until this has ended.
    const end = performance.now() + MOST_CONNECTING_MS;
    for (const host of await publicAddresses(options.host!, this.resolve)) {
      if (failure && performance.now() > end) break;
      const socket = super.createConnection({ ...options, host }) as TLSSocket;
      try {
        await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
        if (isPublicUnicast(socket.remoteAddress ?? '')) return socket;
        throw new AddressRefused();
      } catch (error) {
        socket.on('error', () => undefined).destroy();
        failure = error;
      }
    }
    throw failure;
  }
}

/** @throws AddressRefused unless there are addresses and all of them are public */
async function publicAddresses(hostname: string, resolve: Resolve): Promise<string[]> {
  const host = unbracketed(hostname);
  const addresses = isIP(host) ? [host] : await resolve(host).catch((): string[] => []);
  if (addresses.length === 0 || !addresses.every(isPublicUnicast)) throw new AddressRefused();
  return addresses.slice(0, MOST_ADDRESSES);
}

/**
 * Queries the name servers directly. The system's lookup blocks one of few threads, so a hanging name server would delay
 * every endpoint.
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
