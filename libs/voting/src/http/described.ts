import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/** Returns a class for the OpenAPI document only, for responses whose JSON the service or PostgreSQL writes. */
export function Described(properties: Readonly<Record<string, ApiPropertyOptions>>): Type<object> {
  class Model {}
  for (const [name, options] of Object.entries(properties)) {
    Reflect.defineMetadata('design:type', Object, Model.prototype, name);
    ApiProperty(options)(Model.prototype, name);
  }
  return Model;
}

export const text = (description: string, example: string) =>
  ({ type: String, description, example }) as const;
export const count = (description: string, example: number) =>
  ({ type: 'integer', description, example }) as const;
export const number = (description: string, example: number) =>
  ({ type: Number, description, example }) as const;
export const flag = (description: string, example: boolean) =>
  ({ type: Boolean, description, example }) as const;
export const id = (description: string, example: string) =>
  ({ ...text(description, example), format: 'uuid' }) as const;
export const ids = (description: string, example: string[], required = true): ApiPropertyOptions => ({
  ...{ type: String, isArray: true, format: 'uuid', required },
  ...{ description, example },
});
