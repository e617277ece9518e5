import { Module } from '@nestjs/common';
import { ConsentModule } from '#consent/module';
import { MembershipModule } from '#membership/module';
import { AdhesionsService } from './application/adhesions.service';
import { CardsService } from './application/cards.service';
import { ConciliationService } from './application/conciliation.service';
import { FormulairesService } from './application/formulaires.service';
import { PaiementsService } from './application/paiements.service';
import { SignatureDecoder } from './application/signature-decoder';
import { SignatureImagesService } from './application/signature-images.service';
import { SigningService } from './application/signing.service';
import { AdhesionV1Query } from './persistence/adhesion-v1.query';
import { AdhesionV2Query } from './persistence/adhesion-v2.query';
import { AdhesionRepository } from './persistence/adhesion.repository';
import { DemandeAdhesionRepository } from './persistence/demande-adhesion.repository';
import { FormulaireRepository } from './persistence/formulaire.repository';
import { PaiementRepository } from './persistence/paiement.repository';
import { SignatureRepository } from './persistence/signature.repository';

const services = [
  AdhesionsService,
  ConciliationService,
  FormulairesService,
  PaiementsService,
  SignatureImagesService,
  SigningService,
];

@Module({
  imports: [MembershipModule, ConsentModule],
  providers: [
    ...services,
    CardsService,
    SignatureDecoder,
    AdhesionRepository,
    AdhesionV2Query,
    AdhesionV1Query,
    DemandeAdhesionRepository,
    FormulaireRepository,
    PaiementRepository,
    SignatureRepository,
  ],
  exports: services,
})
export class AdhesionModule {}
