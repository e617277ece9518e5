import { hash } from 'node:crypto';

/** Returns the SHA-256 of the parts, one after the other. */
export const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  hash('sha256', parts.length === 1 ? parts[0]! : Buffer.concat(parts), 'buffer');

/** Returns the bytes of a base64 or base64url text; undefined if another text encodes the same bytes. */
export function decoded(text: string, encoding: 'base64' | 'base64url', length?: number): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  if (bytes.toString(encoding) !== text) return undefined;
  return length === undefined || bytes.length === length ? bytes : undefined;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of UTF-8 bytes; undefined if they are none. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
