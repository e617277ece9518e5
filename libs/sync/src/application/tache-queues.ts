import type { Queue } from '#platform/jobs/queue';

/** Tasks that failed too often. */
export const TACHE_ABANDONNEE_QUEUE = {
  name: 'tache-abandonnee',
  // The retries last longer than a move of a data space, which refuses the write of this job.
  retryLimit: 100,
  retryDelay: 10,
} as const satisfies Queue;

/** Long syncs. When a worker dies, its heartbeat stops and another worker takes the job. */
export const TACHE_QUEUE = {
  name: 'tache',
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  retryLimit: 10,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: 60,
  deadLetter: TACHE_ABANDONNEE_QUEUE.name,
} as const satisfies Queue;

export const SYNC_QUEUES: readonly Queue[] = [TACHE_ABANDONNEE_QUEUE, TACHE_QUEUE];
