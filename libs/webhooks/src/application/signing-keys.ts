import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { SecretBox } from '#platform/ops/secret-box';
import type { SealedKey, Webhook as Endpoint } from '../domain/webhook.entity';
import type { Signature } from '../domain/webhook.types';
import { WEBHOOK_SEALED } from '../persistence/webhook.repository';

/** Maximum decrypted secrets in memory: decrypting one costs as much as signing. */
const MOST_DECRYPTED = 2_000;

/** Each begins a key, whose bytes follow in base64 (Standard Webhooks 1.0). */
const PREFIXES = { secret: 'whsec_', private: 'whsk_', public: 'whpk_' } as const;

/** Bytes of each half of a private key: the key, and then its public key. */
const HALF_BYTES = 32;

/** Creates, encrypts and decrypts the keys that sign deliveries: secrets, and the private ones of key pairs. */
@Injectable()
export class SigningKeys {
  private readonly open = new LRUCache<string, KeyObject>({ max: MOST_DECRYPTED });

  constructor(private readonly box: SecretBox) {}

  /**
   * Returns a new key, encrypted for storage: a secret, `whsec_` and 32 random bytes in base64, or a key pair.
   *
   * @returns `secret` to share with the receiver; null for a key pair, whose public key verifies
   */
  create(
    tenantId: string,
    webhookId: string,
    signature: Signature,
  ): SealedKey & { readonly secret: string | null } {
    const seal = (text: string): Buffer => this.box.seal(Buffer.from(text), contextOf(tenantId, webhookId));
    if (signature === 'v1') {
      const secret = PREFIXES.secret + randomBytes(32).toString('base64');
      return { secret, clePublique: null, sealed: seal(secret) };
    }
    const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const [half, publicHalf] = [d!, x!].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
    return {
      secret: null,
      clePublique: PREFIXES.public + publicHalf.toString('base64'),
      sealed: seal(PREFIXES.private + Buffer.concat([half, publicHalf]).toString('base64')),
    };
  }

  /**
   * Returns the keys that sign for an endpoint at a time.
   *
   * @throws Error if no key of SECRETS_KEY encrypted the secrets
   */
  at(time: Date, tenantId: string, webhookId: string, endpoint: Pick<Endpoint, 'secretsAt'>): KeyObject[] {
    return endpoint.secretsAt(time).map((one) => {
      const name = `${webhookId} ${one.toString('base64')}`;
      let key = this.open.get(name);
      if (!key) {
        key = keyOf(this.box.open(one, contextOf(tenantId, webhookId)).toString());
        this.open.set(name, key);
      }
      return key;
    });
  }
}

/** Returns the key that signs: secret for `whsec_`, private for `whsk_`. */
export function keyOf(text: string): KeyObject {
  if (text.startsWith(PREFIXES.secret)) return createSecretKey(text.slice(PREFIXES.secret.length), 'base64');
  const bytes = Buffer.from(text.slice(PREFIXES.private.length), 'base64');
  const [d, x] = [bytes.subarray(0, HALF_BYTES), bytes.subarray(HALF_BYTES)].map((half) =>
    half.toString('base64url'),
  );
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } });
}

/** Returns a new key of the kind of another one, which signs for no endpoint. */
export function strangerOf({ type }: KeyObject): KeyObject {
  return type === 'secret'
    ? createSecretKey(randomBytes(HALF_BYTES))
    : generateKeyPairSync('ed25519').privateKey;
}

function contextOf(tenantId: string, webhookId: string): string {
  return WEBHOOK_SEALED[0]!.context(tenantId, webhookId);
}
