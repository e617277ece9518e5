import { ChampUtilisateur } from './domain/champ-utilisateur.entity';
import { Employe } from './domain/employe.entity';
import { Employeur } from './domain/employeur.entity';

export { ChampsUtilisateurService } from './application/champs-utilisateur.service';
export { EmployesSyncService } from './application/employes-sync.service';
export { SyndicatsSyncService } from './application/syndicats-sync.service';
export type { ChampRecord } from './domain/champ-utilisateur.fields';
export {
  EMPLOI_FIELDS,
  EMPLOYE_V2_FIELDS,
  MEMBERSHIP_FIELDS,
  VALEUR_FIELDS,
} from './domain/employe-v2.fields';
export { EMPLOYE_FIELDS } from './domain/employe.fields';
export { EMPLOYEUR_FIELDS } from './domain/employeur.fields';
export { EMPLOYEUR_V2_FIELDS, SYNDICAT_V2_FIELDS } from './domain/syndicat.fields';
export { MembershipHttpModule } from './membership-http.module';
export { MembershipModule } from './membership.module';
export { MasterDataBulk } from './persistence/master-data.bulk';

export const MEMBERSHIP_ENTITIES = [Employe, Employeur, ChampUtilisateur];
