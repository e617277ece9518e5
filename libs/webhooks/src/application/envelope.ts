import { createHmac, type KeyObject } from 'node:crypto';
import type { DueLivraison } from '../persistence/livraison.repository';

/** Returns the body of an event, which is the same at every attempt and every endpoint. @param data JSON text */
export function bodyOf({ type, date }: Pick<DueLivraison, 'type' | 'date'>, data: string): Buffer {
  return Buffer.from(`{"type":${JSON.stringify(type)},"timestamp":"${date.toISOString()}","data":${data}}`);
}

/**
 * Returns the headers of an attempt, with the id of the event at every attempt (Standard Webhooks 1.0).
 *
 * @param keys each adds a signature
 * @param at the time of the attempt, which receivers compare with their clock
 */
export function headersOf(
  { evenementId }: Pick<DueLivraison, 'evenementId'>,
  body: Buffer,
  keys: readonly KeyObject[],
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const sign = (key: KeyObject): string =>
    `v1,${createHmac('sha256', key).update(`${evenementId}.${timestamp}.`).update(body).digest('base64')}`;
  return {
    'content-type': 'application/json',
    'user-agent': 'Mandat-Webhooks/1',
    'webhook-id': evenementId,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map(sign).join(' '),
  };
}
