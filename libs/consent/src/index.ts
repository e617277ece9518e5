export { ConsentModule } from './consent.module';
export { OBJET_CONSENTEMENT_FIELDS } from './domain/objet-consentement.fields';
export { ObjetConsentementBulk } from './persistence/objet-consentement.bulk';
