import { Global, Module } from '@nestjs/common';
import { Outbox } from './outbox';

/** Events of the domain. */
@Global()
@Module({ providers: [Outbox], exports: [Outbox] })
export class EventsModule {}
