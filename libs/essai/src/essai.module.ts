import { Module } from '@nestjs/common';
import { TachesService } from '#sync';
import { SyncModule } from '#sync/module';
import { VotingModule } from '#voting/module';
import { AvanceService } from './application/avance.service';
import { HorlogeService } from './application/horloge.service';
import { HorlogeRepository } from './persistence/horloge.repository';

@Module({
  imports: [SyncModule, VotingModule],
  providers: [AvanceService, HorlogeService, HorlogeRepository],
  exports: [HorlogeService],
})
export class EssaiModule {
  /** Tasks advance clocks. */
  constructor(taches: TachesService, avance: AvanceService) {
    taches.register('horloge', (...task) => avance.perform(...task));
  }
}
