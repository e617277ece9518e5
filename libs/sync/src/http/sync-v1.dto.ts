import { OBJET_CONSENTEMENT_FIELDS } from '#consent';
import { EMPLOYE_FIELDS, EMPLOYEUR_FIELDS } from '#membership';
import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
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

class SyncV1ErrorItem extends ItemOf({
  idExterne: value.text('External identifier as sent; "" if the record has none.', 'E-1002'),
  message: value.text('Fault of the record.', 'invalid e-mail'),
}) {}

export class SyncV1ResultItem extends ItemOf({
  created: value.integer('Records that did not exist, over the three lists.', 12),
  updated: value.integer('Records that existed and were accepted, changed or not.', 340),
  errors: value.list(SyncV1ErrorItem, 'Rejected records, which were not written.'),
}) {}
