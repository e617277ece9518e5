import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { EXIT, type ExitCode, Failure } from '../failure.js';
import { during } from '../output.js';
import type { Context } from './context.js';
import { failureOf } from './problems.js';

const VERIFIER = fileURLToPath(new URL('../bin/mandat-verify.js', import.meta.resolve('@mandat/verify')));

export interface VerifyOptions {
  /** File of public keys. */
  readonly keys: string | undefined;
  /** Where the bundle is kept. */
  readonly keep: string | undefined;
  /** Options that `mandat-verify` takes, too. */
  readonly passed: readonly string[];
}

/** `mandat verifier CAMPAGNE`: downloads the bundle of a vote, and runs `mandat-verify`, whose exit codes are the same. */
export async function verifyCommand(context: Context, id: string, options: VerifyOptions): Promise<ExitCode> {
  const folder = mkdtempSync(join(tmpdir(), 'mandat-'));
  try {
    const bundle = options.keep ?? join(folder, 'dossier.tar');
    const keys = options.keys ?? join(folder, 'jwks.json');
    await during('Downloading the bundle', async () => {
      const { data } = await context.mandat.dossiers.download({ path: { id }, parseAs: 'arrayBuffer' });
      write(bundle, new Uint8Array(data as unknown as ArrayBuffer));
    });
    if (!options.keys) {
      write(keys, await keysOf(context.profile.url));
      process.stderr.write(
        'The public keys come from the service, too: this shows a fault, but no forgery by the service. Keep them early, and name them with --cles.\n',
      );
    }
    const args = [VERIFIER, bundle, '--cles', keys, ...options.passed, ...(context.isJson ? ['--json'] : [])];
    const verifier = spawn(process.execPath, args, { stdio: 'inherit' });
    const [code, signal] = (await once(verifier, 'exit')) as [ExitCode | null, string];
    if (code === null) throw new Failure(EXIT.failed, `The verification was ended by ${signal}.`);
    return code;
  } catch (error) {
    throw await failureOf(error, context, undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function keysOf(url: string): Promise<string> {
  const address = `${url.replace(/\/+$/, '')}/.well-known/jwks.json`;
  const answer = await fetch(address, { redirect: 'error' }).catch(() => undefined);
  if (!answer?.ok)
    throw new Failure(EXIT.failed, `${address} has no public keys (${answer?.status ?? 'no answer'}).`);
  return answer.text();
}

function write(path: string, content: string | Uint8Array): void {
  try {
    writeFileSync(path, content);
  } catch (error) {
    throw new Failure(EXIT.failed, `${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
