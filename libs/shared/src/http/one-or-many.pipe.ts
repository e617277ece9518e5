import type { PipeTransform } from '@nestjs/common';
import { JsonRows } from '../records/json-rows';
import type { RecordClass } from './field.decorator';
import { readInput } from './read-input';

/** A body of a `BulkBody` route that is one record, checked here, or a list of them, each checked where it is used. */
export class OneOrMany<T extends object> implements PipeTransform<unknown, T | JsonRows> {
  constructor(private readonly type: RecordClass<T>) {}

  transform(value: unknown): T | JsonRows {
    return value instanceof JsonRows ? value : readInput(this.type, value, 'body');
  }
}
