import { CONSUMED, type Queue } from '#platform/jobs/queue';

/** Generations of e-mails, grouped by tenant: a job ends once the next generation is written. */
export const COURRIEL_QUEUE: Queue = { name: 'courriel', ...CONSUMED };

export const MESSAGING_QUEUES: readonly Queue[] = [COURRIEL_QUEUE];

/** A job: one generation of an email. */
export interface CourrielJob {
  readonly tenantId: string;
  readonly courrielId: string;
  /** Generation of the email (column `tour`). Jobs in the queue have this name. */
  readonly tour: number;
}
