import type { QueueOptions } from 'pg-boss';

export const QUEUE_SCHEMA = 'pgboss';

interface QueueDefinition extends QueueOptions {
  /** Takes the jobs that failed too often. */
  readonly deadLetter?: string;
}

/** Every queue, in the order in which they are made: a dead letter queue before the one it serves. */
export const QUEUES = {
  'tache-abandonnee': {},
  /** Long syncs. A worker that dies stops its heartbeat, and another one takes the job up. */
  tache: {
    heartbeatSeconds: 10,
    expireInSeconds: 600,
    retryLimit: 10,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 60,
    deadLetter: 'tache-abandonnee',
  },
  /**
   * Deliveries to endpoints, a job for each attempt, grouped by endpoint. A job is tried until somebody has ended it:
   * only workers that die count as failures here, what receivers answer does not.
   */
  livraison: {
    heartbeatSeconds: 10,
    expireInSeconds: 3_600,
    retryLimit: 2_000_000_000,
    retryDelay: 0,
    // Longer than events are kept.
    retentionSeconds: 40 * 86_400,
  },
  /** Turns of letters by e-mail, grouped by tenant: each is over once the next one is written. */
  courriel: {
    heartbeatSeconds: 10,
    expireInSeconds: 3_600,
    retryLimit: 2_000_000_000,
    retryDelay: 0,
    // Longer than letters are kept.
    retentionSeconds: 40 * 86_400,
  },
} as const satisfies Record<string, QueueDefinition>;

export type QueueName = keyof typeof QUEUES;
