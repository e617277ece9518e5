import { Module } from '@nestjs/common';
import { SyncModule } from '#sync/module';
import { ElectoratService } from './application/electorat.service';

@Module({
  imports: [SyncModule],
  providers: [ElectoratService],
  exports: [ElectoratService],
})
export class EssaiModule {}
