import { Module } from '@nestjs/common';
import { PlansAdministrationController } from './http/plans-administration.controller';
import { PlansController } from './http/plans.controller';
import { SyncV1Controller } from './http/sync-v1.controller';
import { SyncV2Controller } from './http/sync-v2.controller';
import { SyncsController } from './http/syncs.controller';
import { TachesController } from './http/taches.controller';
import { ClientsModule } from '#clients/module';
import { SyncModule } from './sync.module';

@Module({
  imports: [ClientsModule, SyncModule],
  controllers: [
    PlansController,
    PlansAdministrationController,
    SyncV1Controller,
    SyncV2Controller,
    SyncsController,
    TachesController,
  ],
})
export class SyncHttpModule {}
