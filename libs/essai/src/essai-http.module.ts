import { Module } from '@nestjs/common';
import { EssaiModule } from './essai.module';
import { BulletinsEssaiController } from './http/bulletins-essai.controller';
import { ElectoratController } from './http/electorat.controller';

@Module({
  imports: [EssaiModule],
  controllers: [BulletinsEssaiController, ElectoratController],
})
export class EssaiHttpModule {}
