import { ApiProperty } from '@nestjs/swagger';
import { OBJET_CONSENTEMENT_FIELDS } from '#consent';
import { EMPLOYE_FIELDS, EMPLOYEUR_FIELDS } from '#membership';
import { Input } from '#platform/input/field.decorator';
import { InputOf } from '#platform/input/record-classes';
import type { Records } from '../application/record-limits';

/** The records of a sync as the OpenAPI document shows them. The sync checks each record by its fields. */
export class EmployeSync extends InputOf(EMPLOYE_FIELDS) {}
export class EmployeurSync extends InputOf(EMPLOYEUR_FIELDS) {}
export class ObjetConsentementSync extends InputOf(OBJET_CONSENTEMENT_FIELDS) {}

export class SyncV1Input {
  @Input(
    { kind: 'rows', description: 'Employers, written first: employees of the same request may name them.' },
    EmployeurSync,
  )
  employeurs?: Records | null;

  @Input({ kind: 'rows', description: 'Consent objects, written second.' }, ObjetConsentementSync)
  objetsConsentement?: Records | null;

  @Input(
    {
      kind: 'rows',
      description:
        'Employees, written last. A property that is absent keeps its stored value; null clears it.',
    },
    EmployeSync,
  )
  employes?: Records | null;
}

/** Query of both syncs. */
export class SyncQuery {
  @Input({
    kind: 'boolean',
    description: '`true` returns the result that the sync would have, and writes nothing.',
    example: false,
  })
  simulation?: boolean;
}

class SyncV1ErrorItem {
  @ApiProperty({
    description: 'External identifier as sent; "" if the record has none.',
    example: 'E-1002',
  })
  idExterne: string;

  @ApiProperty({ description: 'Fault of the record.', example: 'invalid e-mail' })
  message: string;
}

export class SyncV1ResultItem {
  @ApiProperty({
    description: 'Records that did not exist, over the three lists.',
    type: 'integer',
    example: 12,
  })
  created: number;

  @ApiProperty({
    description: 'Records that existed and were accepted, changed or not.',
    type: 'integer',
    example: 340,
  })
  updated: number;

  @ApiProperty({
    description: 'Rejected records, which were not written.',
    type: [SyncV1ErrorItem],
  })
  errors: SyncV1ErrorItem[];
}
