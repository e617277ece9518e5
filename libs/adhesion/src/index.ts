import { DemandeAdhesion } from './domain/demande-adhesion.entity';

export { FormulairesService } from './application/formulaires.service';
export { SignatureDecoder } from './application/signature-decoder';
export { type Signing, SigningService } from './application/signing.service';
export type { FormulaireRecord } from './domain/formulaire.fields';
export { AdhesionSupprimeeData, AdhesionV2Item } from './http/adhesions.dto';
export { DemandeItem } from './http/conciliation.dto';
export { EXAMPLE_IDS } from './http/examples';

export const ADHESION_ENTITIES = [DemandeAdhesion];
export * from './domain/adhesion.errors';
export { ADHESION_AUDITED_ACTIONS, SIGNATURE_ACTIONS } from './domain/adhesion.actions';
