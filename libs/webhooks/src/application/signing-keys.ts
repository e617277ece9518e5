import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { SecretBox } from '#platform/ops/secret-box';
import type { Webhook as Endpoint } from '../domain/webhook.entity';
import { WEBHOOK_SEALED } from '../persistence/webhook.repository';

/** Maximum decrypted secrets in memory: decrypting one costs as much as signing. */
const MOST_DECRYPTED = 2_000;

/** Begins each secret; the key of the signatures follows in base64 (Standard Webhooks 1.0). */
const PREFIX = 'whsec_';

/** Creates, encrypts and decrypts the secrets that sign deliveries. */
@Injectable()
export class SigningKeys {
  private readonly open = new LRUCache<string, KeyObject>({ max: MOST_DECRYPTED });

  constructor(private readonly box: SecretBox) {}

  /** Returns a new secret, `whsec_` and 32 random bytes in base64, and its encrypted form for storage. */
  create(tenantId: string, webhookId: string): { secret: string; sealed: Buffer } {
    const secret = `${PREFIX}${randomBytes(32).toString('base64')}`;
    return { secret, sealed: this.box.seal(Buffer.from(secret), contextOf(tenantId, webhookId)) };
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
        const secret = this.box.open(one, contextOf(tenantId, webhookId)).toString();
        key = createSecretKey(secret.slice(PREFIX.length), 'base64');
        this.open.set(name, key);
      }
      return key;
    });
  }
}

function contextOf(tenantId: string, webhookId: string): string {
  return WEBHOOK_SEALED[0]!.context(tenantId, webhookId);
}
