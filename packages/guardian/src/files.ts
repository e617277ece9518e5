import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { Failure } from './failure.js';
import { shown } from './output.js';
import type { Texts } from './texts.js';

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

/** @throws Failure */
export function readText(texts: Texts, path: string, mostBytes: number): string {
  try {
    if (statSync(path).size > mostBytes) throw new Failure(texts.tooLarge(shown(path)));
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(texts.unreadable(shown(path), codeOf(error)));
  }
}

/** Writes a file that is there as a whole or not at all. @throws Failure */
export function write(texts: Texts, path: string, text: string, mode = 0o644): void {
  const beside = `${path}.new`;
  try {
    rmSync(beside, { force: true });
    const file = openSync(beside, 'wx', mode);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (error) {
    throw new Failure(texts.unwritable(shown(path), codeOf(error)));
  }
}
