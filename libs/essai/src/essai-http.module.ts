import { Module } from '@nestjs/common';
import { EssaiModule } from './essai.module';

@Module({ imports: [EssaiModule] })
export class EssaiHttpModule {}
