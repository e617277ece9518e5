import {
  applyDecorators,
  Body as NestBody,
  type PipeTransform,
  Query as NestQuery,
  SetMetadata,
} from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

export const TAKES_QUERY = 'http:takes-query';
export const TAKES_BODY = 'http:takes-body';
/** Metadata of an operation that honours `If-Match`. */
export const TAKES_IF_MATCH = 'http:takes-if-match';

/** Metadata of an operation: media types that it takes beside JSON. */
export const TAKES_TYPES = 'http:takes-types';

/** Declares media types that the operation takes beside JSON. Such a body is a `RawBody`, which the route's own pipe reads. */
export function TakesTypes(...types: string[]): MethodDecorator {
  return applyDecorators(SetMetadata(TAKES_TYPES, types), ApiExtension('x-body-types', types));
}

/** A body of another media type than JSON, as it was sent. */
export class RawBody {
  /** @param contentType the header, with its parameters */
  constructor(
    readonly contentType: string,
    readonly content: Buffer,
  ) {}
}

/** Nest's `@Query()`, which also declares that the operation takes a query string: others refuse every parameter. */
export function Query(): ParameterDecorator {
  return declaring(TAKES_QUERY, NestQuery());
}

/** Nest's `@Body()`, which also declares that the operation takes a body: others refuse all but an empty one. */
export function Body(...pipes: PipeTransform[]): ParameterDecorator {
  return declaring(TAKES_BODY, NestBody(...pipes));
}

function declaring(part: string, decorate: ParameterDecorator): ParameterDecorator {
  return (target, name, index) => {
    decorate(target, name, index);
    SetMetadata(part, true)(target, name!, Object.getOwnPropertyDescriptor(target, name!)!);
  };
}
