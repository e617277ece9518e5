import { Module } from '@nestjs/common';
import { CertificationsController } from './http/certifications.controller';
import { EvenementsController } from './http/evenements.controller';
import { EventCatalogue } from './http/event-catalogue';
import { WebhooksController } from './http/webhooks.controller';
import { WebhooksModule } from './webhooks.module';

@Module({
  imports: [WebhooksModule],
  controllers: [WebhooksController, CertificationsController, EvenementsController],
  providers: [EventCatalogue],
})
export class WebhooksHttpModule {}
