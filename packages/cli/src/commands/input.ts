import { readFileSync } from 'node:fs';
import { bodyOfCsv } from '../csv/index.js';
import { EXIT, Failure, FileFailure, UsageFailure } from '../failure.js';

export interface InputOptions {
  readonly file: string;
  /** Path of the mapping of a CSV file. */
  readonly mappingFile: string | undefined;
  readonly clears: boolean;
  readonly version: 1 | 2;
}

/**
 * Returns the body of a sync as JSON text.
 *
 * @throws Failure if a file cannot be read or has faults
 */
export function readInput({ file, mappingFile, clears, version }: InputOptions): string {
  const bytes = readBytes(file);
  if (mappingFile !== undefined) {
    if (version === 1) throw new UsageFailure('A mapping describes a V2 sync. Leave out --version 1.');
    const mapping = parsed(mappingFile, utf8(mappingFile, readBytes(mappingFile)));
    return JSON.stringify(bodyOfCsv(bytes, mapping, { file, mappingFile, clears }));
  }
  if (clears) throw new UsageFailure('--vider is for CSV. In JSON, null clears a value.');
  const isCsv = /\.(csv|txt|tsv)$/i.test(file);
  if (isCsv) throw new UsageFailure(`${file} looks like CSV. Name its mapping with --correspondance.`);
  // The service gets the text as it is, because it also finds properties that a parser would drop.
  const text = utf8(file, bytes);
  parsed(file, text);
  return text;
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure(EXIT.failed, `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function utf8(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileFailure([{ fichier: path, detail: 'is not UTF-8; save it as UTF-8' }]);
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FileFailure([{ fichier: path, detail: `is not JSON: ${(error as Error).message}` }]);
  }
}
