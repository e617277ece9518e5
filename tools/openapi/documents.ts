import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from '../../apps/partner-api/src/app.module';
import { documentsOf, type SurfaceName, wholeDocument } from '../../apps/partner-api/src/openapi';
import { Config } from '#platform/ops/config';
import { KeyRing } from '#platform/ops/key-ring';

/** The documents by the names of their files in docs/openapi. */
export const NAMES = ['partenaire', 'plateforme', 'administration'] as const satisfies SurfaceName[];

/** The default public address, because the files must not depend on the machine that wrote them. */
export const PUBLIC_URL = 'http://localhost:3000';

/** Values that a configuration needs and a document does not show. */
const CONFIG = new Config({
  host: undefined,
  port: 0,
  workerPort: 0,
  databaseUrl: '',
  cells: new Map(),
  workerCell: undefined,
  standbys: new Map(),
  standbyLagMs: 0,
  dataDir: '',
  publicUrl: PUBLIC_URL,
  adminApiKey: undefined,
  secretsKey: KeyRing.of(Buffer.alloc(32)),
  dossierSigningKey: undefined,
  rateLimitPerMinute: 0,
  logLevel: 'silent',
  otlpEndpoint: undefined,
  production: false,
  shutdownDelayMs: 0,
  webhookAllowInsecure: false,
  smtpUrl: undefined,
  mailFrom: undefined,
  poolSize: 1,
});

/**
 * Makes the documents from the code. Nest's preview mode reads declarations and creates no instances: no database is
 * needed.
 */
export async function makeDocuments(): Promise<Record<SurfaceName, OpenAPIObject>> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(CONFIG), {
    preview: true,
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  return documentsOf(wholeDocument(app, PUBLIC_URL));
}

export const fileOf = (folder: string, name: SurfaceName): string =>
  join(folder, 'docs/openapi', `${name}.json`);

/** Sorts paths and schemas by name and keeps the order of everything else. Moving a controller changes nothing. */
export function textOf(document: OpenAPIObject): string {
  const { paths, components, ...rest } = document;
  const sorted = {
    ...rest,
    paths: byName(paths),
    components: { ...components, schemas: byName(components?.schemas ?? {}) },
  };
  return `${JSON.stringify(sorted, null, 2)}\n`;
}

function byName<T>(record: Record<string, T>): Record<string, T> {
  const names = Object.keys(record).sort();
  return Object.fromEntries(names.map((name) => [name, record[name]!]));
}

/** Writes the documents. @returns the names of those that changed */
export function writeDocuments(
  folder: string,
  documents: Record<SurfaceName, OpenAPIObject>,
): readonly SurfaceName[] {
  mkdirSync(join(folder, 'docs/openapi'), { recursive: true });
  return NAMES.filter((name) => {
    const text = textOf(documents[name]);
    if (text === readText(fileOf(folder, name))) return false;
    writeFileSync(fileOf(folder, name), text);
    return true;
  });
}

/** Returns the text of a document's file, or undefined if there is none yet. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
