import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tar from 'tar-stream';
import { DossierBuilderService, EncryptedCountsService, SealingService } from '../../../libs/voting/src';
import type { Answer, TestApp } from '../../setup/test-app';

/** Seals the ballot box of a campaign and builds its bundle, as a worker does. */
export async function sealed({ app }: TestApp, tenantId: string, id: string): Promise<void> {
  await app.get(SealingService).seal(tenantId, id);
  await app.get(DossierBuilderService).build(tenantId, id);
}

/** Seals the ballot box of an encrypted vote and sums it up, as a worker does. */
export async function summed({ app }: TestApp, tenantId: string, id: string): Promise<void> {
  await app.get(SealingService).seal(tenantId, id);
  await app.get(EncryptedCountsService).advance(tenantId, id);
}

const VERIFIER = join(__dirname, '../../../packages/verify/bin/mandat-verify.js');

/** A file that was downloaded. */
export interface Download {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export async function download(app: TestApp, cle: string, path: string): Promise<Download> {
  const response = await fetch(app.url + path, { headers: { 'X-Api-Key': cle } });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The files of a tar, in their order. */
export async function filesIn(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const extract = tar.extract();
  extract.on('entry', (header, stream, next) => {
    const parts: Buffer[] = [];
    stream.on('data', (part) => parts.push(part as Buffer));
    stream.on('end', () => {
      files.set(header.name, Buffer.concat(parts));
      next();
    });
  });
  extract.end(archive);
  await once(extract, 'finish');
  return files;
}

export const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The objects of an NDJSON file. */
export const linesOf = <T>(file: Buffer | undefined): T[] =>
  file!
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

export interface Verdict {
  readonly code: number | null;
  readonly text: string;
  readonly json: Answer['json'];
}

/** Runs the verifier as a user does. @param files further files by their option */
export function verified(
  archive: Buffer,
  jwks: object,
  files: Record<string, string | Buffer> = {},
): Verdict {
  const folder = mkdtempSync(join(tmpdir(), 'mandat-bundle-'));
  try {
    const at = (name: string, content: string | Buffer): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const options = Object.entries(files).flatMap(([option, content]) => [
      `--${option}`,
      at(option, content),
    ]);
    const args = [
      VERIFIER,
      at('dossier.tar', archive),
      '--cles',
      at('jwks.json', JSON.stringify(jwks)),
      '--json',
      ...options,
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    return { code: status, text: stdout + stderr, json: stdout ? JSON.parse(stdout) : undefined };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
