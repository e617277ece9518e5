import { Module } from '@nestjs/common';
import { FusionController } from './http/fusion.controller';
import { IdentifiantsController } from './http/identifiants.controller';
import { PersonnesController } from './http/personnes.controller';
import { PersonneModule } from './personne.module';

@Module({
  imports: [PersonneModule],
  controllers: [FusionController, IdentifiantsController, PersonnesController],
})
export class PersonneHttpModule {}
