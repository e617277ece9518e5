import { Module } from '@nestjs/common';
import { MembershipModule } from '#membership/module';
import { ConsentementsService } from './application/consentements.service';
import { ObjetsConsentementService } from './application/objets-consentement.service';
import { ConsentementQuery } from './persistence/consentement.query';
import { ConsentementRepository } from './persistence/consentement.repository';
import { ObjetConsentementBulk } from './persistence/objet-consentement.bulk';
import { ObjetConsentementQuery } from './persistence/objet-consentement.query';
import { ObjetConsentementRepository } from './persistence/objet-consentement.repository';

@Module({
  imports: [MembershipModule],
  providers: [
    ConsentementsService,
    ConsentementQuery,
    ConsentementRepository,
    ObjetsConsentementService,
    ObjetConsentementBulk,
    ObjetConsentementQuery,
    ObjetConsentementRepository,
  ],
  exports: [ConsentementsService, ObjetsConsentementService, ObjetConsentementBulk],
})
export class ConsentModule {}
