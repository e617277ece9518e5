import { Module } from '@nestjs/common';
import { EssaiModule } from './essai.module';
import { BulletinsEssaiController } from './http/bulletins-essai.controller';
import { DonneesEssaiController } from './http/donnees-essai.controller';
import { ElectoratController } from './http/electorat.controller';

@Module({
  imports: [EssaiModule],
  controllers: [BulletinsEssaiController, DonneesEssaiController, ElectoratController],
})
export class EssaiHttpModule {}
