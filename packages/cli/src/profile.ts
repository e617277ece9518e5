import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { UsageFailure } from './failure.js';

/** The service and the key. */
export interface Profile {
  readonly url: string;
  readonly cle: string;
}

const DEFAULT_FILE = join(homedir(), '.config', 'mandat', 'profil.json');
const REMEDY = `Set MANDAT_URL and MANDAT_API_KEY, or write {"url": "https://…", "cle": "mdt_…"} to ${DEFAULT_FILE} and run chmod 600 ${DEFAULT_FILE}.`;

/**
 * Returns the profile of `file`, else of the environment, else of the file in the home directory. They are never mixed, because a
 * key must only reach its own service.
 *
 * @throws UsageFailure, which never shows the key
 */
export function readProfile(file: string | undefined, env: NodeJS.ProcessEnv): Profile {
  const { MANDAT_URL: url, MANDAT_API_KEY: cle } = env;
  if (file !== undefined) return profileOf(file, true)!;
  if (url || cle) {
    if (!url) throw new UsageFailure('MANDAT_API_KEY is set, but MANDAT_URL is not.');
    if (!cle) throw new UsageFailure('MANDAT_URL is set, but MANDAT_API_KEY is not.');
    return checked(url, cle, 'MANDAT_URL', 'MANDAT_API_KEY');
  }
  const profile = profileOf(DEFAULT_FILE, false);
  if (!profile) throw new UsageFailure(`No service and key are known. ${REMEDY}`);
  return profile;
}

/** @returns undefined if the file is optional and does not exist */
function profileOf(path: string, isRequired: boolean): Profile | undefined {
  const text = readPrivate(path, isRequired);
  if (text === undefined) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw new UsageFailure(`${path} is not JSON. Write {"url": "https://…", "cle": "mdt_…"}.`);
  }
  const { url, cle } = Object(content) as Record<string, unknown>;
  if (typeof url !== 'string' || typeof cle !== 'string')
    throw new UsageFailure(`${path} needs "url" and "cle". Write {"url": "https://…", "cle": "mdt_…"}.`);
  return checked(url, cle, `"url" of ${path}`, `"cle" of ${path}`);
}

/** Returns the content of a file that only its owner can read. */
function readPrivate(path: string, isRequired: boolean): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isRequired) return undefined;
    throw new UsageFailure(`The profile ${path} cannot be read (${code}).`);
  }
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new UsageFailure(`The profile ${path} is no file.`);
    // Windows has no such modes.
    if (process.platform !== 'win32' && (status.mode & 0o077) !== 0)
      throw new UsageFailure(`Others can read the key in ${path}. Run chmod 600 ${path}`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function checked(url: string, cle: string, urlName: string, cleName: string): Profile {
  const key = cle.trim();
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageFailure(`${urlName} is no address. It must begin with https:// or http://.`);
  // The error of an invalid header would show the key.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageFailure(`${cleName} is no key: it is empty or has other characters.`);
  return { url, cle: key };
}
