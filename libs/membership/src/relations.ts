export { activeOn, dayOf, hasBegun, hasNotEnded, TODAY } from './persistence/days.sql';
export { CHANGEMENT_COLUMNS } from './persistence/effets.sql';
export { employeV1 } from './persistence/employe-v1.sql';
export { LIST_STATE } from './persistence/list-state.sql';
export {
  EMPLOYE_KEY,
  ERASED_NAME,
  type Fusion,
  HAS_NAMES,
  IDENTITY,
  IS_IDENTITY,
  MEMBERSHIP_PERSONAL_DATA,
  mergedId,
  OLDEST_FIRST,
  type Person,
  type PersonalData,
  type PersonalRows,
  renamedKey,
  renamedReference,
  RENOMMAGES,
  type Tenure,
} from './persistence/personal-data.sql';
export * from './persistence/published.sql';
