import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^mdt_(?:prod|stg|admin)_[0-9A-Za-z]{36}$/;
/** Random characters shown in lists: enough to distinguish keys, too few to guess the rest. */
const DISPLAY_LENGTH = 6;

/** Data space or surface of a key. The first part of its text names it. */
export type KeyKind = 'production' | 'staging' | 'admin';

const PREFIXES: Record<KeyKind, string> = {
  production: 'mdt_prod_',
  staging: 'mdt_stg_',
  admin: 'mdt_admin_',
};

/** Returns a new key. Its text is shown once, its fingerprint and display prefix are kept (docs/contract.md, "Key format"). */
export function generateKey(kind: KeyKind): { cle: string; prefixe: string; empreinte: Buffer } {
  let body = PREFIXES[kind];
  for (let i = 0; i < RANDOM_LENGTH; i++) body += DIGITS.charAt(randomInt(DIGITS.length));
  const cle = body + checksum(body);
  return { cle, prefixe: cle.slice(0, PREFIXES[kind].length + DISPLAY_LENGTH), empreinte: fingerprint(cle) };
}

/** Whether the text has a key's form and its checksum is right: a typo is refused without a query. */
export function isWellFormedKey(cle: string): boolean {
  return SHAPE.test(cle) && checksum(cle.slice(0, -CHECKSUM_LENGTH)) === cle.slice(-CHECKSUM_LENGTH);
}

/** Returns the digest that is stored instead of the key. */
export function fingerprint(cle: string): Buffer {
  return hash('sha256', cle, 'buffer');
}

/** CRC32 of the text in six base62 digits, most significant first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = DIGITS.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
