import { Module } from '@nestjs/common';
import { ObjetsConsentementService } from './application/objets-consentement.service';
import { ObjetConsentementBulk } from './persistence/objet-consentement.bulk';
import { ObjetConsentementQuery } from './persistence/objet-consentement.query';
import { ObjetConsentementRepository } from './persistence/objet-consentement.repository';

@Module({
  providers: [
    ObjetsConsentementService,
    ObjetConsentementBulk,
    ObjetConsentementQuery,
    ObjetConsentementRepository,
  ],
  exports: [ObjetsConsentementService, ObjetConsentementBulk],
})
export class ConsentModule {}
