import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { type Environment, ENVIRONMENTS } from '../access/caller';
import { DomainError } from '../errors/domain-error';
import type { ErrorCode } from '../errors/error-codes';
import { refusalTurn } from './refusal-turn';

/** A part of the path that names an environment; in any other there is nothing to be found. */
export class EnvironmentPart implements PipeTransform<string, Promise<Environment>> {
  constructor(private readonly notFound: ErrorCode) {}

  async transform(value: string, metadata: ArgumentMetadata): Promise<Environment> {
    const known = ENVIRONMENTS.find((one) => one === value);
    if (known) return known;
    await refusalTurn(metadata);
    throw new DomainError(this.notFound, `The environment must be ${ENVIRONMENTS.join(' or ')}.`);
  }
}
