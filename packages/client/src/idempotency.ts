import { randomUUID } from 'node:crypto';

/**
 * Returns the header that makes a POST repeatable: the same key and body replay the first response for 24 hours.
 *
 * @param key 1 to 255 printable ASCII characters; a new one for each call if absent
 */
export function idempotencyKey(key: string = randomUUID()): { 'Idempotency-Key': string } {
  return { 'Idempotency-Key': key };
}
