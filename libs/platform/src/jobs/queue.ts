import type { QueueOptions } from 'pg-boss';

export const QUEUE_SCHEMA = 'pgboss';

/** A queue with the options of pg-boss. Each context defines its own; the migration creates them. */
export interface Queue extends QueueOptions {
  readonly name: string;
  /** Name of the queue that takes the jobs that failed too often. */
  readonly deadLetter?: string;
}

/** Options of a queue that a `QueueConsumer` consumes: only workers that die count as failures. */
export const CONSUMED = {
  heartbeatSeconds: 10,
  expireInSeconds: 3_600,
  retryLimit: 2_000_000_000,
  retryDelay: 0,
  // Longer than rows that jobs refer to are kept.
  retentionSeconds: 40 * 86_400,
} as const satisfies Omit<Queue, 'name'>;
