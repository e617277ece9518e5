import { randomUUID } from 'node:crypto';

/**
 * The header that lets a POST be sent again: the same key and body replay the first answer for 24 hours.
 *
 * @param key 1 to 255 printable ASCII characters; a new one for each call if absent
 */
export function idempotencyKey(key: string = randomUUID()): { 'Idempotency-Key': string } {
  return { 'Idempotency-Key': key };
}
