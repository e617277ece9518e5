import { Module } from '@nestjs/common';
import { SyncModule } from '#sync/module';
import { VotingModule } from '#voting/module';
import { BulletinsEssaiService } from './application/bulletins-essai.service';
import { ElectoratService } from './application/electorat.service';

@Module({
  imports: [SyncModule, VotingModule],
  providers: [BulletinsEssaiService, ElectoratService],
  exports: [BulletinsEssaiService, ElectoratService],
})
export class EssaiModule {}
