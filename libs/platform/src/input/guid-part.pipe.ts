import { type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../errors/domain-error';
import type { ErrorDefinition } from '../errors/error-definition';
import { isGuid } from './faults';
import { inRejectionOrder } from './rejection-order';
import type { Text } from '../errors/text';

/** Checks a part of the path that is a GUID of the service, in small letters. Any other text is reported as not found. */
export class GuidPart implements PipeTransform<string, Promise<string>> {
  constructor(
    private readonly notFound: ErrorDefinition,
    private readonly detail?: Text,
  ) {}

  async transform(value: string, metadata: ArgumentMetadata): Promise<string> {
    if (isGuid(value)) return value.toLowerCase();
    await inRejectionOrder(metadata);
    throw new DomainError(this.notFound, this.detail);
  }
}

/** Documents a part of a path that is a GUID of the service. */
export function guidPart(what: string, example: string) {
  return { description: `Identifier of the ${what} (GUID).`, format: 'uuid', example } as const;
}
