import { type Partenaire, type Plateforme, ProblemError } from '@mandat/client';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { must } from './checks';
import { megabytes, say, title } from './screen';

// The count of a vote, checked without trust in the service: its bundle, and what one voter holds.

const VERIFIER = join(__dirname, '../../packages/verify/bin/mandat-verify.js');
/** The worker looks for ended votes each minute at the latest. */
const LONGEST_WAIT_MS = 90_000;

/** Receipt and attestation of a ballot. */
export interface Held {
  readonly Recu?: string;
  readonly Attestation: string;
}

/** Downloads the bundle of a vote that has ended, and runs the verifier on it. */
export async function storyCount(
  { partner, platform, address }: { partner: Partenaire; platform: Plateforme; address: string },
  id: string,
  { Recu, Attestation }: Held,
): Promise<void> {
  title('Anyone can count it again', 'GET /b2b/v1/campagnes/{id}/dossier/archive');
  const bundle = await download(partner, id);
  if (!bundle) {
    say('Not shown: the bundle is not built. Does a worker run?');
    return;
  }
  must(Recu, 'a receipt');
  const empreinte = createHash('sha256').update(Recu).digest('base64url');
  const { data: proof } = await platform.bulletins.prove({ path: { id, empreinte } });
  const {
    verdict,
    controles,
    empreinte: digest,
  } = await verify(bundle, address, async (at) => [
    ...['--preuve', await at('preuve.json', JSON.stringify(proof))],
    ...['--recu', Recu, '--attestation', Attestation],
  ]);
  say(`A bundle of ${megabytes(bundle.length)}, signed, with the digest ${digest}`);
  say(`mandat-verify: ${verdict} in ${controles.length} controls; one voter's receipt and attestation hold`);
}

/** Writes a file into the folder of the verifier. @returns its path */
type At = (name: string, content: string | Buffer) => Promise<string>;

/**
 * Runs the verifier on a bundle.
 *
 * @param more arguments
 * @throws if anything differs
 */
export async function verify(
  bundle: Buffer,
  address: string,
  more: (at: At) => Promise<string[]> = () => Promise.resolve([]),
): Promise<Verdict> {
  const keys = await fetch(`${address}/.well-known/jwks.json`);
  const folder = await mkdtemp(join(tmpdir(), 'mandat-count-'));
  try {
    const at: At = async (name, content) => {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    };
    const args = [
      VERIFIER,
      await at('dossier.tar', bundle),
      ...['--cles', await at('jwks.json', await keys.text())],
      ...(await more(at)),
      '--json',
    ];
    // It ends with an error if anything differs.
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as Verdict;
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Verdict {
  readonly verdict: string;
  readonly empreinte: string;
  readonly controles: readonly string[];
}

/** Waits as the service says. @returns undefined without a bundle in the end */
export async function download(partner: Partenaire, id: string): Promise<Buffer | undefined> {
  const path = { id };
  for (const start = performance.now(); ;) {
    try {
      const { data } = await partner.dossiers.download({ path, parseAs: 'blob' });
      return Buffer.from(await data.arrayBuffer());
    } catch (error) {
      if (!(error instanceof ProblemError && error.code === 'Dossier.NonPret')) throw error;
      const seconds = Number(error.response.headers.get('retry-after'));
      if (seconds === 0 || performance.now() - start + seconds * 1_000 > LONGEST_WAIT_MS) return undefined;
      await delay(seconds * 1_000);
    }
  }
}
