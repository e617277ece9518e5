import { type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../errors/domain-error';
import type { ErrorDefinition } from '../errors/error-definition';
import { isGuid } from './faults';
import { inRejectionOrder } from './rejection-order';

/** A part of the path that is a GUID given by the service, in small letters; any other text names nothing and is not found. */
export class GuidPart implements PipeTransform<string, Promise<string>> {
  constructor(
    private readonly notFound: ErrorDefinition,
    private readonly detail: string,
  ) {}

  async transform(value: string, metadata: ArgumentMetadata): Promise<string> {
    if (isGuid(value)) return value.toLowerCase();
    await inRejectionOrder(metadata);
    throw new DomainError(this.notFound, this.detail);
  }
}
