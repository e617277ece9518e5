import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { SecretBox } from '#platform/ops/secret-box';
import type { Webhook as Endpoint } from '../domain/webhook.entity';

/** Secrets that are held open: opening one costs as much as signing. */
const HELD = 2_000;

/** Makes, keeps and opens what deliveries are signed with. */
@Injectable()
export class SigningKeys {
  private readonly open = new LRUCache<string, Webhook>({ max: HELD });

  constructor(private readonly box: SecretBox) {}

  /** A new secret in the form that verifiers take, `whsec_` and 32 random bytes in base64, and as it is kept. */
  create(tenantId: string, webhookId: string): { secret: string; sealed: Buffer } {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    return { secret, sealed: this.box.seal(Buffer.from(secret), contextOf(tenantId, webhookId)) };
  }

  /**
   * What signs for an endpoint at a time.
   *
   * @throws Error where the secrets were sealed by another SECRETS_KEY
   */
  at(time: Date, tenantId: string, webhookId: string, endpoint: Pick<Endpoint, 'secretsAt'>): Webhook[] {
    return endpoint.secretsAt(time).map((one) => {
      const name = `${webhookId} ${one.toString('base64')}`;
      let key = this.open.get(name);
      if (!key) {
        key = new Webhook(this.box.open(one, contextOf(tenantId, webhookId)).toString());
        this.open.set(name, key);
      }
      return key;
    });
  }
}

/** A sealed secret that is moved to another endpoint does not open there. */
function contextOf(tenantId: string, webhookId: string): string {
  return `webhook ${tenantId} ${webhookId}`;
}
