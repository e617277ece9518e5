import { Module } from '@nestjs/common';
import { ObjetConsentementBulk } from './persistence/objet-consentement.bulk';

@Module({ providers: [ObjetConsentementBulk], exports: [ObjetConsentementBulk] })
export class ConsentModule {}
