import { Global, Module } from '@nestjs/common';
import { JobQueue } from './job-queue';
import { QueueDatabase } from './queue-database';
import { RecurringWork } from './recurring-work';

/** The queue of jobs, and the work that a process repeats. */
@Global()
@Module({ providers: [JobQueue, QueueDatabase, RecurringWork], exports: [JobQueue, RecurringWork] })
export class JobsModule {}
