import { Module } from '@nestjs/common';
import { CourrielsController } from './http/courriels.controller';
import { MessagingModule } from './messaging.module';

@Module({ imports: [MessagingModule], controllers: [CourrielsController] })
export class MessagingHttpModule {}
