import * as forAdministration from './generated/administration/client/index.js';
import { Administration } from './generated/administration/sdk.gen.js';
import * as forPartners from './generated/partenaire/client/index.js';
import { Partenaire as Generated } from './generated/partenaire/sdk.gen.js';
import * as forPlatform from './generated/plateforme/client/index.js';
import { Plateforme } from './generated/plateforme/sdk.gen.js';
import type { Partenaire } from './narrowed.js';
import { transport, type TransportOptions } from './transport.js';

/** Address of the service, key, and limits of repetitions. */
export interface ConnectionOptions extends TransportOptions {
  /** The key, which is sent as `X-Api-Key` and only to `address`. */
  readonly key: string;
}

/** The operations of a partner: key of role `partenaire`. */
export function partenaire(options: ConnectionOptions): Partenaire {
  return new Generated({ client: forPartners.createClient(configOf(options)) }) as Partenaire;
}

/** The operations of the platform's front ends: key of role `plateforme`. */
export function plateforme(options: ConnectionOptions): Plateforme {
  return new Plateforme({ client: forPlatform.createClient(configOf(options)) });
}

/** The operations of an administrator: key of role `admin`. */
export function administration(options: ConnectionOptions): Administration {
  return new Administration({ client: forAdministration.createClient(configOf(options)) });
}

function configOf(options: ConnectionOptions) {
  const address = options.address.replace(/\/+$/, '');
  if (!URL.canParse(address)) throw new TypeError(`${JSON.stringify(options.address)} is no address.`);
  return {
    baseUrl: address,
    headers: { Accept: 'application/json', 'X-Api-Key': options.key },
    fetch: transport({ ...options, address }),
    throwOnError: true as const,
  };
}
