import { Module } from '@nestjs/common';
import { PersonnesController } from './http/personnes.controller';
import { PersonneModule } from './personne.module';

@Module({ imports: [PersonneModule], controllers: [PersonnesController] })
export class PersonneHttpModule {}
