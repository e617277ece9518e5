import type { Webhook } from 'standardwebhooks';
import type { DueLivraison } from '../persistence/livraison.repository';

/**
 * Returns an event as it is sent: the same body and the same id at every attempt (Standard Webhooks 1.0).
 *
 * @param keys each adds a signature
 * @param at the time of the attempt, which receivers compare with their clock
 */
export function envelopeOf(
  { evenementId, type, date, data }: DueLivraison,
  keys: readonly Webhook[],
  at: Date,
) {
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
