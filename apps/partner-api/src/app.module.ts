import { DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from '#access/access.module';
import { ADHESION_ENTITIES, AdhesionHttpModule } from '#adhesion';
import { CLIENTS_ENTITIES, ClientsHttpModule } from '#clients';
import { CONSENT_ENTITIES, ConsentHttpModule } from '#consent';
import { MEETING_ENTITIES, MeetingHttpModule } from '#meeting';
import { MEMBERSHIP_ENTITIES, MembershipHttpModule } from '#membership';
import { PersonneHttpModule } from '#personne';
import { MessagingHttpModule } from '#messaging';
import { Config } from '#platform/ops/config';
import { HttpModule } from '#platform/http/http.module';
import { PlatformModule } from '#platform/platform.module';
import { SyncHttpModule } from '#sync';
import { TopologyModule } from '#topology';
import { VOTING_ENTITIES, VotingHttpModule } from '#voting';
import { WEBHOOKS_ENTITIES, WebhooksHttpModule } from '#webhooks';
import { Documentation } from './documentation';
import { DocumentationController } from './documentation.controller';
import { REQUEST_PATH } from './request-path';

/** The HTTP process: every context's controllers, and their documentation. */
@Module({})
export class AppModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot(
          'api',
          config,
          TopologyModule.forRoot([
            ...CLIENTS_ENTITIES,
            ...MEMBERSHIP_ENTITIES,
            ...CONSENT_ENTITIES,
            ...ADHESION_ENTITIES,
            ...VOTING_ENTITIES,
            ...MEETING_ENTITIES,
            ...WEBHOOKS_ENTITIES,
          ]),
        ),
        AccessModule,
        HttpModule,
        ClientsHttpModule,
        SyncHttpModule,
        MembershipHttpModule,
        ConsentHttpModule,
        AdhesionHttpModule,
        VotingHttpModule,
        MeetingHttpModule,
        WebhooksHttpModule,
        PersonneHttpModule,
        MessagingHttpModule,
      ],
      controllers: [DocumentationController],
      providers: [...REQUEST_PATH, Documentation],
    };
  }
}
