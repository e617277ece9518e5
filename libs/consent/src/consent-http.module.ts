import { Module } from '@nestjs/common';
import { ConsentModule } from './consent.module';
import { ObjetsConsentementController } from './http/objets-consentement.controller';

@Module({ imports: [ConsentModule], controllers: [ObjetsConsentementController] })
export class ConsentHttpModule {}
