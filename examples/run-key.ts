import { idempotencyKey } from '@mandat/client';
import { randomUUID } from 'node:crypto';

/** Part of every key: what this run sends is not a repetition of what an earlier run sent. */
const RUN = randomUUID();

/** The header under which a request may be sent again without being done again. */
export function runKey(name: string): ReturnType<typeof idempotencyKey> {
  return idempotencyKey(`demo-${RUN}-${name}`);
}
