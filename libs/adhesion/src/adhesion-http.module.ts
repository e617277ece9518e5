import { Module } from '@nestjs/common';
import { AdhesionModule } from './adhesion.module';
import { AdhesionsV1Controller } from './http/adhesions-v1.controller';
import { AdhesionsV2Controller } from './http/adhesions-v2.controller';
import { ConciliationController } from './http/conciliation.controller';
import { FormulairesController } from './http/formulaires.controller';
import { SignatureImagesController } from './http/signature-images.controller';
import { SigningController } from './http/signing.controller';

@Module({
  imports: [AdhesionModule],
  controllers: [
    AdhesionsV2Controller,
    AdhesionsV1Controller,
    SignatureImagesController,
    ConciliationController,
    FormulairesController,
    SigningController,
  ],
})
export class AdhesionHttpModule {}
