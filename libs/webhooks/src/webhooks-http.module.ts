import { Module } from '@nestjs/common';
import { EvenementsController } from './http/evenements.controller';
import { EventCatalogue } from './http/event-catalogue';
import { WebhooksController } from './http/webhooks.controller';
import { WebhooksModule } from './webhooks.module';

@Module({
  imports: [WebhooksModule],
  controllers: [WebhooksController, EvenementsController],
  providers: [EventCatalogue],
})
export class WebhooksHttpModule {}
