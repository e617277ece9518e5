import { DynamicModule, Module } from '@nestjs/common';
import { CLIENTS_ENTITIES } from '#clients';
import { ClientsModule } from '#clients/module';
import { CONSENT_ENTITIES } from '#consent';
import { EssaiModule } from '#essai/module';
import { MEMBERSHIP_ENTITIES } from '#membership';
import { MembershipModule } from '#membership/module';
import { MessagingModule, SendingModule } from '#messaging/module';
import { Config } from '#platform/ops/config';
import { PersonneModule } from '#personne/module';
import { PlatformModule } from '#platform/platform.module';
import { SyncModule } from '#sync/module';
import { TopologyModule } from '#topology/module';
import { VOTING_ENTITIES } from '#voting';
import { VotingModule } from '#voting/module';
import { WEBHOOKS_ENTITIES } from '#webhooks';
import { DeliveriesModule, WebhooksModule } from '#webhooks/module';
import { ClockService } from './clock.service';
import { JobsService } from './jobs.service';
import { Measurements } from './measurements';
import { PurgeService } from './purge.service';

/** The background process. Its only controller is that of the probes. */
@Module({})
export class WorkerModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.forRoot(
          'worker',
          config,
          TopologyModule.forRoot([
            ...CLIENTS_ENTITIES,
            ...MEMBERSHIP_ENTITIES,
            ...CONSENT_ENTITIES,
            ...VOTING_ENTITIES,
            ...WEBHOOKS_ENTITIES,
          ]),
        ),
        ClientsModule,
        MembershipModule,
        SyncModule,
        PersonneModule,
        EssaiModule,
        VotingModule,
        WebhooksModule,
        DeliveriesModule,
        MessagingModule,
        SendingModule.forRoot(config),
      ],
      providers: [ClockService, JobsService, Measurements, PurgeService],
    };
  }
}
