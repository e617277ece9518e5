import { OBJET_CONSENTEMENT_V2_FIELDS } from '#consent';
import {
  EMPLOI_FIELDS,
  EMPLOYE_V2_FIELDS,
  EMPLOYEUR_V2_FIELDS,
  MEMBERSHIP_FIELDS,
  SYNDICAT_V2_FIELDS,
  VALEUR_FIELDS,
} from '#membership';
import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import type { Records } from '../application/record-limits';
import { SYNC_V2_FIELDS } from '../domain/sync-v2.fields';

/** The records of a V2 sync as the OpenAPI document shows them. The sync checks each record by its fields. */
class EmployeurV2Sync extends InputOf(EMPLOYEUR_V2_FIELDS) {}
class SyndicatV2Sync extends InputOf(SYNDICAT_V2_FIELDS, { Employeurs: EmployeurV2Sync }) {}
class ObjetConsentementV2Sync extends InputOf(OBJET_CONSENTEMENT_V2_FIELDS) {}
class ValeurSync extends InputOf(VALEUR_FIELDS) {}
class EmploiSync extends InputOf(EMPLOI_FIELDS) {}
class MembershipSync extends InputOf(MEMBERSHIP_FIELDS) {}
export class EmployeV2Sync extends InputOf(EMPLOYE_V2_FIELDS, {
  ValeursChampUtilisateur: ValeurSync,
  Emplois: EmploiSync,
  Adhesions: MembershipSync,
}) {}

export class SyncV2Input {
  @Input(SYNC_V2_FIELDS.Syndicats, SyndicatV2Sync)
  Syndicats?: Records | null;

  @Input(SYNC_V2_FIELDS.Employes, EmployeV2Sync)
  Employes?: Records | null;

  @Input(SYNC_V2_FIELDS.ObjetsConsentement, ObjetConsentementV2Sync)
  ObjetsConsentement?: Records | null;
}

class SyncV2ErrorItem extends ItemOf({
  IdUnique: value.text('External identifier of the record as sent; "" if it has none.', 'E-1002'),
  Message: value.text(
    'Fault of the record. For a nested record it also names the record that contains it.',
    'Matricule is required (employee E-1002)',
  ),
}) {}

class SyncV2CountsItem extends ItemOf({
  AddCount: value.integer('Records that did not exist.', 12),
  UpdateCount: value.integer('Records that existed and were accepted, changed or not.', 340),
  Erreurs: value.list(
    SyncV2ErrorItem,
    'Rejected records, which were not written. Records nested in a rejected record are not written and not listed.',
  ),
}) {}

const counts = (description: string) => value.one(SyncV2CountsItem, description);

export class SyncV2ResultItem extends ItemOf({
  Syndicats: counts('Unions.'),
  Employeurs: counts('Employers nested in unions.'),
  Employes: counts('Employees.'),
  Emplois: counts('Employments, without those that were deactivated because they were left out.'),
  Adhesions: counts('Memberships.'),
  ObjetsConsentement: counts('Consent objects.'),
}) {}
