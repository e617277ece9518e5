import type { ArgumentMetadata } from '@nestjs/common';
import { JsonRows } from './json-rows';
import type { RecordClass } from './field.decorator';
import { InputPipe } from './input.pipe';

/** A body of a `BulkBody` route that is one record, checked here, or a list of them, each checked where it is used. */
export class OneOrMany extends InputPipe {
  constructor(type: RecordClass) {
    super();
    this.expectedType = type;
  }

  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    return sent instanceof JsonRows ? sent : super.transform(sent, metadata);
  }
}
