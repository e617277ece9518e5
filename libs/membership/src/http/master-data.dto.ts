import { CsvPagingQuery } from '#platform/http/csv';
import { Input } from '#platform/input/field.decorator';

/** Query of the lists of employees and employers. */
export class MasterDataList extends CsvPagingQuery {
  @Input({
    kind: 'date',
    description:
      'Only records created or changed at this time or later. A change has the time at which its request began, so overlap successive reads by two minutes.',
    example: '2026-01-01T00:00:00Z',
  })
  modifieDepuis?: Date;
}
