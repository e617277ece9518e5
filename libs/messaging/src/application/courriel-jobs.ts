import type { Queue } from '#platform/jobs/queue';

/** Generations of e-mails, grouped by tenant: a job ends once the next generation is written. */
export const COURRIEL_QUEUE = {
  name: 'courriel',
  heartbeatSeconds: 10,
  expireInSeconds: 3_600,
  // Only workers that die count as failures here.
  retryLimit: 2_000_000_000,
  retryDelay: 0,
  // Longer than e-mails are kept.
  retentionSeconds: 40 * 86_400,
} as const satisfies Queue;

export const MESSAGING_QUEUES: readonly Queue[] = [COURRIEL_QUEUE];

/** A job: one generation of an email. */
export interface CourrielJob {
  readonly tenantId: string;
  readonly courrielId: string;
  /** Generation of the email (column `tour`). Jobs in the queue have this name. */
  readonly tour: number;
}
