import { randomBytes } from 'node:crypto';
import { KeyRing } from '../../../libs/platform/src/ops/key-ring';
import { command, type Ended } from '../../setup/command';

const KEYS: Record<string, string> = Object.fromEntries(
  ['k1', 'k2', 'k3'].map((id) => [id, randomBytes(32).toString('base64')]),
);

/** A ring of some of three keys, the newest first. */
export function ring(...ids: string[]): KeyRing {
  return KeyRing.parse(ids.map((id) => `${id}:${KEYS[id]!}`).join(','));
}

/** The first key, as the only one and without an id. */
export const BARE = KeyRing.parse(KEYS.k1!);

/** The settings of a command with a ring. */
export const settingsOf = (databaseUrl: string, keys: KeyRing): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  SECRETS_KEY: keys.text(),
});

/** Runs a command with a ring, until it ends. */
export const runCli = (databaseUrl: string, keys: KeyRing, ...args: string[]): Promise<Ended> =>
  command(settingsOf(databaseUrl, keys), ...args);
