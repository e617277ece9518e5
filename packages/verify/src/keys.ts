import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { decoded, sha256, utf8 } from './bytes.js';
import { Malformed, Unreadable } from './findings.js';
import { parsed } from './json.js';

/** A public key of the service. */
export interface Key {
  readonly kid: string;
  readonly raw: Buffer;
  readonly key: KeyObject;
}

/** A signed checkpoint of the log. */
export interface Checkpoint {
  readonly size: number;
  readonly root: string;
}

/** Returns the Ed25519 keys of a JWK set. @throws Unreadable if it has none or a wrong one. */
export function readKeys(bytes: Uint8Array, path: string): Key[] {
  let keys: unknown;
  try {
    keys = (parsed(bytes) as { keys?: unknown } | null)?.keys;
  } catch {
    // Handled below, as a set without keys.
  }
  if (!Array.isArray(keys))
    throw new Unreadable(`${path} is no JWK set. Save the answer of GET /.well-known/jwks.json there.`);
  const found = (keys.slice(0, 1000) as unknown[]).flatMap((item) => {
    const { kty, crv, x, kid } = (item ?? {}) as Record<string, unknown>;
    if (kty !== 'OKP' || crv !== 'Ed25519') return [];
    const raw = typeof x === 'string' ? decoded(x, 'base64url', 32) : undefined;
    const thumbprint = sha256(Buffer.from(`{"crv":"Ed25519","kty":"OKP","x":"${String(x)}"}`));
    if (!raw || kid !== thumbprint.toString('base64url'))
      throw new Unreadable(`${path} has a key whose kid is not its thumbprint (RFC 7638). Fetch it again.`);
    return [{ kid, raw, key: createPublicKey({ key: { kty, crv, x: x as string }, format: 'jwk' }) }];
  });
  if (found.length === 0) throw new Unreadable(`${path} has no Ed25519 key. Fetch it again.`);
  return found;
}

/** Checks the signature of a JWS over a payload that is not in it. @throws Malformed if it is not valid. */
export function assertSigned(jws: string, payload: Uint8Array, keys: readonly Key[]): void {
  const [, header = '', signature = ''] = /^([\w-]+)\.\.([\w-]+)$/.exec(jws) ?? [];
  const head = decoded(header, 'base64url')?.toString() ?? '';
  const key = keys.find(({ kid }) => head === `{"alg":"EdDSA","kid":"${kid}"}`);
  if (!key) throw new Malformed('signature', 'a JWS with the kid of a known key', head || jws.slice(0, 60));
  const bytes = decoded(signature, 'base64url', 64);
  const signed = Buffer.concat([
    Buffer.from(`${header}.`),
    Buffer.from(Buffer.from(payload).toString('base64url')),
  ]);
  if (!bytes || !verify(null, signed, key.key, bytes))
    throw new Malformed('signature', `one of key ${key.kid}`, 'a signature that is not valid');
}

/** Returns the payload of a compact JWS. @throws Malformed if its signature is not valid. */
export function signedPayload(jws: string, keys: readonly Key[]): Buffer {
  const [header, payload = '', signature, ...rest] = jws.split('.');
  const bytes = decoded(payload, 'base64url');
  if (!bytes || rest.length > 0) throw new Malformed('JWS', 'header.payload.signature', jws.slice(0, 60));
  assertSigned(`${header}..${signature}`, bytes, keys);
  return bytes;
}

/** Returns the checkpoint of a signed note of this log. @throws Malformed if it is not valid. */
export function readNote(note: string, origin: string, keys: readonly Key[]): Checkpoint {
  const [name, size = '', root = '', empty, line = '', end, ...more] = note.split('\n');
  if (name !== origin) throw new Malformed('origin of the note', origin, name ?? '');
  const signature = line.startsWith(`— ${origin} `) ? line.slice(origin.length + 3) : '';
  const signed = decoded(signature, 'base64', 4 + 64);
  const hash = decoded(root, 'base64', 32);
  if (!/^(0|[1-9]\d{0,14})$/.test(size) || !hash || empty !== '' || !signed || end !== '' || more.length > 0)
    throw new Malformed('note', 'a checkpoint with one signature, in six lines', note.slice(0, 200));
  const body = Buffer.from(`${name}\n${size}\n${root}\n`);
  const isOf = ({ raw }: Key): boolean =>
    sha256(Buffer.from(`${origin}\n`), Buffer.of(1), raw)
      .subarray(0, 4)
      .equals(signed.subarray(0, 4));
  if (!keys.some((key) => isOf(key) && verify(null, body, key.key, signed.subarray(4))))
    throw new Malformed('signature of the note', 'one of a known key', 'a signature that is not valid');
  return { size: Number(size), root: hash.toString('base64url') };
}

/** Returns the text of a small file. @throws Malformed if it is no UTF-8. */
export function textOf(bytes: Uint8Array): string {
  const text = utf8(bytes);
  if (text === undefined) throw new Malformed('text', 'UTF-8', 'other bytes');
  return text;
}
