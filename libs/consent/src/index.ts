import { ObjetConsentement } from './domain/objet-consentement.entity';

export { ConsentementsService } from './application/consentements.service';
export { REPONSE_CONSENTEMENT_FIELDS, type ReponseConsentementRecord } from './domain/consentement.fields';
export { OBJET_CONSENTEMENT_FIELDS, OBJET_CONSENTEMENT_V2_FIELDS } from './domain/objet-consentement.fields';
export { ObjetConsentementBulk } from './persistence/objet-consentement.bulk';

export const CONSENT_ENTITIES = [ObjetConsentement];
export * from './domain/consent.errors';
export { CONSENT_AUDITED_ACTIONS } from './domain/consent.actions';
