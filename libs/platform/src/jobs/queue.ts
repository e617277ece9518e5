import type { QueueOptions } from 'pg-boss';

export const QUEUE_SCHEMA = 'pgboss';

/** A queue with the options of pg-boss. Each context defines its own; the migration creates them. */
export interface Queue extends QueueOptions {
  readonly name: string;
  /** Name of the queue that takes the jobs that failed too often. */
  readonly deadLetter?: string;
}
