import { ApiProperty } from '@nestjs/swagger';
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
import { InputOf } from '#platform/input/record-classes';
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

class SyncV2ErrorItem {
  @ApiProperty({
    description: 'External identifier of the record as sent; "" if it has none.',
    example: 'E-1002',
  })
  IdUnique: string;

  @ApiProperty({
    description: 'Fault of the record. For a nested record it also names the record that contains it.',
    example: 'Matricule is required (employee E-1002)',
  })
  Message: string;
}

class SyncV2CountsItem {
  @ApiProperty({ description: 'Records that did not exist.', type: 'integer', example: 12 })
  AddCount: number;

  @ApiProperty({
    description: 'Records that existed and were accepted, changed or not.',
    type: 'integer',
    example: 340,
  })
  UpdateCount: number;

  @ApiProperty({
    description:
      'Rejected records, which were not written. Records nested in a rejected record are not written and not listed.',
    type: [SyncV2ErrorItem],
  })
  Erreurs: SyncV2ErrorItem[];
}

export class SyncV2ResultItem {
  @ApiProperty({ description: 'Unions.' })
  Syndicats: SyncV2CountsItem;

  @ApiProperty({ description: 'Employers nested in unions.' })
  Employeurs: SyncV2CountsItem;

  @ApiProperty({ description: 'Employees.' })
  Employes: SyncV2CountsItem;

  @ApiProperty({
    description: 'Employments, without those that were deactivated because they were left out.',
  })
  Emplois: SyncV2CountsItem;

  @ApiProperty({ description: 'Memberships.' })
  Adhesions: SyncV2CountsItem;

  @ApiProperty({ description: 'Consent objects.' })
  ObjetsConsentement: SyncV2CountsItem;
}
