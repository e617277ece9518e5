import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from '../../apps/partner-api/src/app.module';
import { documentsOf, type SurfaceName, wholeDocument } from '../../apps/partner-api/src/openapi';
import { Config } from '#shared/config/config';

/** The documents by the names of their files under docs/openapi. */
export const NAMES = ['partenaire', 'plateforme', 'administration'] as const satisfies SurfaceName[];

/** Where a service runs that was not told otherwise, so that the files do not depend on who wrote them. */
export const PUBLIC_URL = 'http://localhost:3000';

/** What a configuration must have and a document does not show. */
const CONFIG = new Config({
  host: undefined,
  port: 0,
  workerPort: 0,
  databaseUrl: '',
  dataDir: '',
  publicUrl: PUBLIC_URL,
  adminApiKey: undefined,
  secretsKey: Buffer.alloc(32),
  rateLimitPerMinute: 0,
  logLevel: 'silent',
  production: false,
  shutdownDelayMs: 0,
  webhookAllowInsecure: false,
  smtp: undefined,
  mailFrom: { name: '', address: '' },
  poolSize: 1,
});

/** Makes the documents from the code. In preview Nest reads what is declared and instantiates nothing: no database. */
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

/** Paths and schemas by name, all else as the code has it: a controller that moves changes nothing. */
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

/** Writes the documents; answers the names of those that changed. */
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

/** The text of a document's file; undefined where there is none yet. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
