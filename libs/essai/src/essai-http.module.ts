import { Module } from '@nestjs/common';
import { EssaiModule } from './essai.module';
import { ElectoratController } from './http/electorat.controller';

@Module({
  imports: [EssaiModule],
  controllers: [ElectoratController],
})
export class EssaiHttpModule {}
