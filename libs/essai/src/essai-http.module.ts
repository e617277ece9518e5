import { Module } from '@nestjs/common';
import { EssaiModule } from './essai.module';
import { BulletinsEssaiController } from './http/bulletins-essai.controller';
import { DonneesEssaiController } from './http/donnees-essai.controller';
import { ElectoratController } from './http/electorat.controller';
import { PannesController } from './http/pannes.controller';
import { PannesGuard } from './http/pannes.guard';
import { Routes } from './http/routes';

@Module({
  imports: [EssaiModule],
  controllers: [BulletinsEssaiController, DonneesEssaiController, ElectoratController, PannesController],
  providers: [PannesGuard, Routes],
  exports: [PannesGuard],
})
export class EssaiHttpModule {}
