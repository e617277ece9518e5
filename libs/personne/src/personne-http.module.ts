import { Module } from '@nestjs/common';
import { IdentifiantsController } from './http/identifiants.controller';
import { PersonnesController } from './http/personnes.controller';
import { PersonneModule } from './personne.module';

@Module({ imports: [PersonneModule], controllers: [IdentifiantsController, PersonnesController] })
export class PersonneHttpModule {}
