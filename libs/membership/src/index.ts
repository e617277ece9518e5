import { Employe } from './domain/employe.entity';
import { Employeur } from './domain/employeur.entity';

export { EMPLOYE_FIELDS } from './domain/employe.fields';
export { EMPLOYEUR_FIELDS } from './domain/employeur.fields';
export { MembershipHttpModule } from './membership-http.module';
export { MembershipModule } from './membership.module';
export { MasterDataBulk } from './persistence/master-data.bulk';

export const MEMBERSHIP_ENTITIES = [Employe, Employeur];
