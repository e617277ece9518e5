import { Body as NestBody, type PipeTransform, Query as NestQuery, SetMetadata } from '@nestjs/common';

export const TAKES_QUERY = 'http:takes-query';
export const TAKES_BODY = 'http:takes-body';
/** Metadata of an operation that honours `If-Match`. */
export const TAKES_IF_MATCH = 'http:takes-if-match';

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
