import { Global, Module } from '@nestjs/common';
import { WorkNotes } from '../database/work-notes';
import { JobQueue } from './job-queue';
import { QueueDatabase } from './queue-database';
import { RecurringWork } from './recurring-work';
import { WorkSharing } from './work-sharing';

/** The queue of jobs, the work that a process repeats, and how it is shared out. */
@Global()
@Module({
  providers: [JobQueue, QueueDatabase, RecurringWork, WorkNotes, WorkSharing],
  exports: [JobQueue, RecurringWork, WorkNotes, WorkSharing],
})
export class JobsModule {}
