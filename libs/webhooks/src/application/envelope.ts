import { createHmac, type KeyObject, sign as signWith } from 'node:crypto';
import type { DueLivraison } from '../persistence/livraison.repository';

/** Returns the body of an event, which is the same at every attempt and every endpoint. @param data JSON text */
export function bodyOf({ type, date }: Pick<DueLivraison, 'type' | 'date'>, data: string): Buffer {
  return Buffer.from(`{"type":${JSON.stringify(type)},"timestamp":"${date.toISOString()}","data":${data}}`);
}

/**
 * Returns the headers of an attempt, with the id of the event at every attempt (Standard Webhooks 1.0).
 *
 * @param keys each adds a signature: a secret `v1`, a private key `v1a`
 * @param at the time of the attempt, which receivers compare with their clock
 */
export function headersOf(
  { evenementId }: Pick<DueLivraison, 'evenementId'>,
  body: Buffer,
  keys: readonly KeyObject[],
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const start = `${evenementId}.${timestamp}.`;
  const sign = (key: KeyObject): string =>
    key.type === 'secret'
      ? `v1,${createHmac('sha256', key).update(start).update(body).digest('base64')}`
      : `v1a,${signWith(null, Buffer.concat([Buffer.from(start), body]), key).toString('base64')}`;
  return {
    'content-type': 'application/json',
    'user-agent': 'Mandat-Webhooks/1',
    'webhook-id': evenementId,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map(sign).join(' '),
  };
}
