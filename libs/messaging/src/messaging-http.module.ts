import { Module } from '@nestjs/common';
import { CourrielsController } from './http/courriels.controller';
import { RetoursController } from './http/retours.controller';
import { MessagingModule } from './messaging.module';

@Module({ imports: [MessagingModule], controllers: [CourrielsController, RetoursController] })
export class MessagingHttpModule {}
