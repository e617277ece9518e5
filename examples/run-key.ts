import { idempotencyKey } from '@mandat/client';
import { randomUUID } from 'node:crypto';

/** Part of every key, because requests of this run must not count as repetitions of an earlier run's. */
const RUN = randomUUID();

/** Returns the header that makes a request repeatable without a second effect. */
export function runKey(name: string): ReturnType<typeof idempotencyKey> {
  return idempotencyKey(`demo-${RUN}-${name}`);
}
