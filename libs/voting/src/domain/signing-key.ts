import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** The public part of a key, as `/.well-known/jwks.json` lists it. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

/** The DER of a PKCS #8 Ed25519 key up to its 32 bytes (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Reads an Ed25519 private key: PEM (PKCS #8), a JWK, or its 32 bytes in base64.
 *
 * @returns undefined for other text
 */
export function privateKeyOf(text: string): KeyObject | undefined {
  try {
    const key = parsed(text.trim());
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function parsed(text: string): KeyObject {
  if (text.startsWith('{')) return createPrivateKey({ format: 'jwk', key: JSON.parse(text) as JsonWebKey });
  if (text.startsWith('-----')) return createPrivateKey(text);
  const seed = Buffer.from(text, 'base64');
  if (seed.length !== 32) throw new Error('An Ed25519 key has 32 bytes.');
  return createPrivateKey({ format: 'der', type: 'pkcs8', key: Buffer.concat([PKCS8, seed]) });
}

/** The 32 bytes of the public key. */
export function publicBytesOf(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url');
}

export function publicJwkOf(bytes: Uint8Array): PublicJwk {
  const x = Buffer.from(bytes).toString('base64url');
  // The thumbprint of RFC 7638: the required members in the order of their names.
  const kid = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }));
  return { kty: 'OKP', crv: 'Ed25519', x, kid: kid.digest('base64url'), use: 'sig', alg: 'EdDSA' };
}
