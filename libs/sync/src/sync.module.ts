import { Module } from '@nestjs/common';
import { ClientsModule } from '#clients/module';
import { ConsentModule } from '#consent/module';
import { MembershipModule } from '#membership/module';
import { ImageBox } from './application/image-box';
import { PlansService } from './application/plans.service';
import { SyncEngine } from './application/sync-engine';
import { SyncV1Service } from './application/sync-v1.service';
import { SyncV2Service } from './application/sync-v2.service';
import { TachesService } from './application/taches.service';
import { UndoService } from './application/undo.service';
import { FreinsQuery } from './persistence/freins.query';
import { PlanRepository } from './persistence/plan.repository';
import { SyncRepository } from './persistence/sync.repository';
import { TacheRepository } from './persistence/tache.repository';

@Module({
  imports: [ClientsModule, MembershipModule, ConsentModule],
  providers: [
    SyncEngine,
    SyncV1Service,
    SyncV2Service,
    PlansService,
    UndoService,
    ImageBox,
    TachesService,
    FreinsQuery,
    PlanRepository,
    SyncRepository,
    TacheRepository,
  ],
  exports: [SyncV1Service, SyncV2Service, PlansService, UndoService, TachesService],
})
export class SyncModule {}
