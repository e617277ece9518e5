import type { Webhook } from 'standardwebhooks';

/** An event as it is sent: the same body and the same id at every attempt (Standard Webhooks 1.0). */
export interface Envelope {
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface PostedEvent {
  readonly evenementId: string;
  readonly type: string;
  readonly date: Date;
  /** JSON text, which is sent unchanged. */
  readonly data: string;
}

/**
 * @param keys each adds a signature
 * @param at the time of the attempt, which receivers compare with their clock
 */
export function envelopeOf(event: PostedEvent, keys: readonly Webhook[], at: Date): Envelope {
  const { evenementId, type, date, data } = event;
  const body = `{"type":${JSON.stringify(type)},"timestamp":"${date.toISOString()}","data":${data}}`;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Mandat-Webhooks/1',
      'webhook-id': evenementId,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': keys.map((key) => key.sign(evenementId, at, body)).join(' '),
    },
  };
}
