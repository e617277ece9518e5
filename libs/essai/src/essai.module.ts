import { Module } from '@nestjs/common';
import { SyncModule } from '#sync/module';
import { VotingModule } from '#voting/module';
import { BulletinsEssaiService } from './application/bulletins-essai.service';
import { EffacementService } from './application/effacement.service';
import { ElectoratService } from './application/electorat.service';
import { EffacementRepository } from './persistence/effacement.repository';

@Module({
  imports: [SyncModule, VotingModule],
  providers: [BulletinsEssaiService, EffacementService, ElectoratService, EffacementRepository],
  exports: [BulletinsEssaiService, EffacementService, ElectoratService],
})
export class EssaiModule {}
