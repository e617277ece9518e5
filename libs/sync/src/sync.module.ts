import { Module } from '@nestjs/common';
import { ConsentModule } from '#consent/module';
import { MembershipModule } from '#membership/module';
import { SyncV1Service } from './application/sync-v1.service';
import { SyncV2Service } from './application/sync-v2.service';
import { TachesService } from './application/taches.service';
import { TacheRepository } from './persistence/tache.repository';

@Module({
  imports: [MembershipModule, ConsentModule],
  providers: [SyncV1Service, SyncV2Service, TachesService, TacheRepository],
  exports: [SyncV1Service, SyncV2Service, TachesService],
})
export class SyncModule {}
