import { Global, Module } from '@nestjs/common';
import { JobQueue } from './job-queue';
import { QueueDatabase } from './queue-database';

/** The queue of jobs. */
@Global()
@Module({ providers: [JobQueue, QueueDatabase], exports: [JobQueue] })
export class JobsModule {}
