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
import { Input } from '#shared/http/field.decorator';
import { RecordModel } from '#shared/http/record-model';
import type { Records } from '../application/record-limits';
import { SYNC_V2_FIELDS } from '../domain/sync-v2.fields';

/** The records of a V2 sync as the OpenAPI document shows them; each is checked on its own, by its definition. */
const EmployeurV2Sync = RecordModel('EmployeurV2Sync', EMPLOYEUR_V2_FIELDS);
const SyndicatV2Sync = RecordModel('SyndicatV2Sync', SYNDICAT_V2_FIELDS, { Employeurs: EmployeurV2Sync });
const ObjetConsentementV2Sync = RecordModel('ObjetConsentementV2Sync', OBJET_CONSENTEMENT_V2_FIELDS);
export const EmployeV2Sync = RecordModel('EmployeV2Sync', EMPLOYE_V2_FIELDS, {
  ValeursChampUtilisateur: RecordModel('ValeurSync', VALEUR_FIELDS),
  Emplois: RecordModel('EmploiSync', EMPLOI_FIELDS),
  Adhesions: RecordModel('MembershipSync', MEMBERSHIP_FIELDS),
});

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
    description: 'External identifier of the record as sent; "" where it has none.',
    example: 'E-1002',
  })
  IdUnique: string;

  @ApiProperty({
    description: 'What is wrong with the record; of a nested one it also says whose it is.',
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
      'Records that were refused; nothing of them was written. Records nested in a refused one are refused with it and not listed.',
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
    description: 'Employments. Those that were left out and thereby deactivated are not counted.',
  })
  Emplois: SyncV2CountsItem;

  @ApiProperty({ description: 'Memberships.' })
  Adhesions: SyncV2CountsItem;

  @ApiProperty({ description: 'Consent objects.' })
  ObjetsConsentement: SyncV2CountsItem;
}
