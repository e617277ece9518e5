import { ConfigError } from './config-error';

/** Scheme with user and password, servers, rest. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const ATTRIBUTE = /([?&])target_session_attrs=([^&#]*)(&?)/;

/** The servers of a DATABASE_URL. */
export interface DatabaseServers {
  /** The URL of each server, as `pg` reads it. */
  readonly urls: readonly [string, ...string[]];
  /** Whether each connection must be to the primary (`target_session_attrs=read-write`). */
  readonly primaryOnly: boolean;
}

/**
 * Reads a URL that may name several servers, as libpq does: `postgres://…@one:5432,other:5432/mandat?target_session_attrs=read-write`.
 *
 * @param variable its name, for messages
 * @throws ConfigError for several servers without `target_session_attrs=read-write`, or another value of it
 */
export function serversOf(databaseUrl: string, variable = 'DATABASE_URL'): DatabaseServers {
  const attribute = ATTRIBUTE.exec(databaseUrl)?.[2];
  if (attribute !== undefined && attribute !== 'read-write' && attribute !== 'any')
    throw new ConfigError(`target_session_attrs of ${variable} must be read-write or any.`);
  const primaryOnly = attribute === 'read-write';
  const plain = databaseUrl.replace(ATTRIBUTE, (_all, before: string, _value, after: string) =>
    after ? before : '',
  );
  const [, begin, servers = '', rest] = PARTS.exec(plain) ?? [];
  const [first = '', ...others] = servers.split(',');
  if (others.length === 0) return { urls: [plain], primaryOnly };
  if (!primaryOnly)
    throw new ConfigError(`${variable} names several servers: add target_session_attrs=read-write to it.`);
  const urlOf = (server: string): string => {
    const url = `${begin}${server}${rest}`;
    if (server === '' || !URL.canParse(url))
      throw new ConfigError(`Each server of ${variable} must be a host with or without a port.`);
    return url;
  };
  return { urls: [urlOf(first), ...others.map(urlOf)], primaryOnly };
}
