import { Module } from '@nestjs/common';
import { ConsentModule } from './consent.module';
import { ConsentementsController } from './http/consentements.controller';
import { ObjetsConsentementController } from './http/objets-consentement.controller';

@Module({ imports: [ConsentModule], controllers: [ConsentementsController, ObjetsConsentementController] })
export class ConsentHttpModule {}
