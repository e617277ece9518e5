import { Module } from '@nestjs/common';
import { EssaiModule } from './essai.module';
import { BulletinsEssaiController } from './http/bulletins-essai.controller';
import { DonneesEssaiController } from './http/donnees-essai.controller';
import { ElectoratController } from './http/electorat.controller';
import { HorlogeController } from './http/horloge.controller';
import { HorlogeGuard } from './http/horloge.guard';
import { PannesController } from './http/pannes.controller';
import { PannesGuard } from './http/pannes.guard';
import { Routes } from './http/routes';

@Module({
  imports: [EssaiModule],
  controllers: [
    HorlogeController,
    ElectoratController,
    BulletinsEssaiController,
    PannesController,
    DonneesEssaiController,
  ],
  providers: [HorlogeGuard, PannesGuard, Routes],
  exports: [HorlogeGuard, PannesGuard],
})
export class EssaiHttpModule {}
