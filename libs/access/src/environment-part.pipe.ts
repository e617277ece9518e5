import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { type Environment, ENVIRONMENTS } from './caller';
import { DomainError } from '#platform/errors/domain-error';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import { inRejectionOrder } from '#platform/input/rejection-order';
import { fr } from '#platform/errors/text';

/** A part of the path that names an environment; in any other there is nothing to be found. */
export class EnvironmentPart implements PipeTransform<string, Promise<Environment>> {
  constructor(private readonly notFound: ErrorDefinition) {}

  async transform(value: string, metadata: ArgumentMetadata): Promise<Environment> {
    const known = ENVIRONMENTS.find((one) => one === value);
    if (known) return known;
    await inRejectionOrder(metadata);
    throw new DomainError(this.notFound, {
      en: `The environment must be ${ENVIRONMENTS.join(' or ')}.`,
      fr: fr`L'environnement doit être ${ENVIRONMENTS.join(' ou ')}.`,
    });
  }
}
