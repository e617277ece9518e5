import { DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from '#access/access.module';
import { ADHESION_ENTITIES } from '#adhesion';
import { AdhesionHttpModule } from '#adhesion/http';
import { CLIENTS_ENTITIES } from '#clients';
import { ClientsHttpModule } from '#clients/http';
import { CONSENT_ENTITIES } from '#consent';
import { ConsentHttpModule } from '#consent/http';
import { EssaiHttpModule } from '#essai/http';
import { MEETING_ENTITIES } from '#meeting';
import { MeetingHttpModule } from '#meeting/http';
import { MEMBERSHIP_ENTITIES } from '#membership';
import { MembershipHttpModule } from '#membership/http';
import { PersonneHttpModule } from '#personne/http';
import { MessagingHttpModule } from '#messaging/http';
import { Config } from '#platform/ops/config';
import { HttpModule } from '#platform/http/http.module';
import { PlatformModule } from '#platform/platform.module';
import { SyncHttpModule } from '#sync/http';
import { TopologyModule } from '#topology/module';
import { VOTING_ENTITIES } from '#voting';
import { VotingHttpModule } from '#voting/http';
import { WEBHOOKS_ENTITIES } from '#webhooks';
import { WebhooksHttpModule } from '#webhooks/http';
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
        EssaiHttpModule,
      ],
      controllers: [DocumentationController],
      providers: [...REQUEST_PATH, Documentation],
    };
  }
}
