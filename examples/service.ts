import {
  ConnectionError,
  type Partenaire,
  partenaire,
  type Plateforme,
  plateforme,
  ProblemError,
  type Wait,
} from '@mandat/client';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stop } from './checks';
import { say } from './screen';

/** The running service, with the clients of both sides. */
export interface Service {
  readonly partner: Partenaire;
  /** undefined without a platform key. */
  readonly platform: Plateforme | undefined;
  readonly address: string;
  /** Requests sent so far, including repetitions. */
  readonly sent: () => number;
}

/**
 * Connects to the service of `npm start` with the keys that it has stored, unless the environment has others.
 *
 * @throws Stop without a partner key
 */
export function connect(env: NodeJS.ProcessEnv): Service {
  let requests = 0;
  const options = {
    address: addressOf(env),
    onWait: ({ seconds, status }: Wait) =>
      say(`${status ?? 'No answer'}: waiting ${seconds} s${status ? ' (Retry-After)' : ''}`),
    fetch: (...of: Parameters<typeof fetch>) => {
      requests++;
      return fetch(...of);
    },
  };
  const keys = keysOf(env);
  return {
    partner: partenaire({ ...options, key: keys.partenaire }),
    platform: keys.plateforme ? plateforme({ ...options, key: keys.plateforme }) : undefined,
    address: options.address,
    sent: () => requests,
  };
}

function addressOf(env: NodeJS.ProcessEnv): string {
  return (env.MANDAT_URL || env.PUBLIC_URL || `http://localhost:${env.PORT || 3000}`).replace(/\/+$/, '');
}

function keysOf(env: NodeJS.ProcessEnv): { partenaire: string; plateforme: string | undefined } {
  // A key from the environment may belong to another data space than the stored keys, so the two are not mixed.
  if (env.MANDAT_KEY) return { partenaire: env.MANDAT_KEY, plateforme: env.MANDAT_PLATFORM_KEY };
  const file = join(env.DATA_DIR || '.data', 'demonstration.json');
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { partenaire?: string; plateforme?: string };
    if (kept.partenaire) return { partenaire: kept.partenaire, plateforme: kept.plateforme };
  } catch {
    // No such file, or another file: the message below applies to both.
  }
  throw new Stop(
    `No partner key in ${file}: run \`npm start\` in another terminal first, or set MANDAT_KEY.`,
  );
}

/** Returns one line of advice about an error that ends the demonstration, or undefined for an unexpected error. */
export function adviceOn(error: unknown, env: NodeJS.ProcessEnv): string | undefined {
  if (error instanceof Stop) return error.message;
  if (error instanceof ConnectionError)
    return `${error.message}: run \`npm start\` in another terminal, or set PORT or MANDAT_URL.`;
  if (!(error instanceof ProblemError)) return undefined;
  if (error.status === 401)
    return `${addressOf(env)} does not know the key: set DATA_DIR and PORT as for \`npm start\`, or MANDAT_KEY.`;
  const faults = error.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  return `${error.status} ${error.code}: ${faults ?? error.detail}`;
}
