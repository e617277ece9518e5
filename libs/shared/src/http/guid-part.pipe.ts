import { type PipeTransform } from '@nestjs/common';
import { DomainError } from '../errors/domain-error';
import { type ErrorCode } from '../errors/error-codes';
import { isGuid } from '../records/faults';

/** A part of the path that is a GUID given by the service, in small letters; any other text names nothing and is not found. */
export class GuidPart implements PipeTransform<string, string> {
  constructor(
    private readonly notFound: ErrorCode,
    private readonly detail: string,
  ) {}

  transform(value: string): string {
    if (!isGuid(value)) throw new DomainError(this.notFound, this.detail);
    return value.toLowerCase();
  }
}
