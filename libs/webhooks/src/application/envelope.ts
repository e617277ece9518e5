import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Secrets } from '../domain/webhook.types';

/** An event as it is posted: the same body and the same id at every attempt (Standard Webhooks 1.0). */
export interface Envelope {
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface PostedEvent {
  readonly evenementId: string;
  readonly type: string;
  readonly date: Date;
  /** JSON text, which is sent as it is. */
  readonly data: string;
}

/** @param at the time of the attempt, which receivers hold against theirs */
export function envelopeOf(event: PostedEvent, secrets: Secrets, at: Date): Envelope {
  const { evenementId, type, date, data } = event;
  const body = `{"type":${JSON.stringify(type)},"timestamp":"${date.toISOString()}","data":${data}}`;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Mandat-Webhooks/1',
      'webhook-id': evenementId,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(evenementId, at, body)).join(' '),
    },
  };
}

/** A new secret in the form that verifiers take: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
