import { Module } from '@nestjs/common';
import { EssaiModule } from './essai.module';
import { HorlogeController } from './http/horloge.controller';
import { HorlogeGuard } from './http/horloge.guard';

@Module({
  imports: [EssaiModule],
  controllers: [HorlogeController],
  providers: [HorlogeGuard],
  exports: [HorlogeGuard],
})
export class EssaiHttpModule {}
