import { ChampUtilisateur } from './domain/champ-utilisateur.entity';
import { Employe } from './domain/employe.entity';
import { Employeur } from './domain/employeur.entity';

export * from './vocabulary';
export { ActiveCampaigns, type ActiveCampaignCheck } from './application/active-campaigns';
export { type DeletedEmploye, DeletionNotes, type DeletionNotesWriter } from './application/deletion-notes';
export { ChampsUtilisateurService } from './application/champs-utilisateur.service';
export { ChangementsService } from './application/changements.service';
export { EmployesSyncService } from './application/employes-sync.service';
export { SyndicatsSyncService } from './application/syndicats-sync.service';
export {
  readSignedValeurs,
  repeatedValeursFaults,
  type SignedValeurs,
  signedValeursFault,
} from './domain/signed-valeurs';
export { type ValeurV1, valeurV1, type ValeurV2, valeurV2 } from './domain/valeur-champ';
export { EmployeItem, ValeurChampV1Item } from './http/employes.dto';
export { VALEURS_V2_ITEMS, valeursV2 } from './http/valeurs-champ.dto';
export { ChangementQuery } from './persistence/changement.query';
export { type EffetsOfEmployeur, EffetsRepository } from './persistence/effets.repository';
export { RestorationRepository } from './persistence/restoration.repository';
export { ENTITES, NATURES } from './domain/changement.fields';
export { EmployesV2Service } from './application/employes-v2.service';
export { EmployeV2Item } from './http/employes-v2.dto';
export { FusionRepository } from './persistence/fusion.repository';
export { IdentifiantRepository, type Renommage } from './persistence/identifiant.repository';
export { MasterDataBulk } from './persistence/master-data.bulk';
export { type Member, MemberRepository } from './persistence/member.repository';

export const MEMBERSHIP_ENTITIES = [Employe, Employeur, ChampUtilisateur];
export { KeyedRecords } from './application/keyed-records';
export { MEMBERSHIP_AUDITED_ACTIONS } from './domain/membership.actions';
