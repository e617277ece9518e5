import type { ApiPropertyOptions } from '@nestjs/swagger';
import type { RecordClass } from './field.decorator';

/** A property that only responses have. Fields describe the properties that requests have, too. */
export interface Value<T> {
  readonly schema: ApiPropertyOptions;
  /** Never set; it carries the type. */
  readonly type?: T;
}

type Bounds = Pick<ApiPropertyOptions, 'minimum' | 'exclusiveMinimum' | 'maximum'>;

function valueOf<T>(schema: ApiPropertyOptions): Value<T> {
  return { schema };
}

/** Makes the properties of a response: a description, and an example. */
export const value = {
  text: (description: string, example?: string | null) =>
    valueOf<string>({ type: String, description, ...(example === undefined ? {} : { example }) }),
  texts: (description: string, example: readonly string[]) =>
    valueOf<string[]>({ type: [String], description, example }),
  id: (description: string, example: string) =>
    valueOf<string>({ type: String, description, format: 'uuid', example }),
  uri: (description: string, example: string) =>
    valueOf<string>({ type: String, description, format: 'uri', example }),
  ids: (description: string, example: string[]) =>
    valueOf<string[]>({ type: [String], description, format: 'uuid', example }),
  time: (description: string, example: string | null) =>
    valueOf<string>({ type: String, description, format: 'date-time', example }),
  integer: (description: string, example: number, bounds: Bounds = {}) =>
    valueOf<number>({ type: 'integer', description, example, ...bounds }),
  number: (description: string, example: number, bounds: Bounds = {}) =>
    valueOf<number>({ type: Number, description, example, ...bounds }),
  flag: (description: string, example: boolean | null) =>
    valueOf<boolean>({ type: Boolean, description, example }),
  choice: <V extends string | null>(values: readonly V[], description: string, example: V) =>
    valueOf<V>({ enum: [...values], description, example }),
  only: <V extends string>(one: V, description: string) => valueOf<V>({ description, enum: [one] }),
  textOrFlagOrNull: (description: string, example: string | boolean | null) =>
    valueOf<string | boolean | null>({
      oneOf: [{ type: 'string', nullable: true }, { type: 'boolean' }],
      description,
      example,
    }),
  scalarOrNull: (description: string, example: string | number) =>
    valueOf<string | number | null>({
      oneOf: [{ type: 'string', nullable: true }, { type: 'number' }],
      description,
      example,
    }),
  object: (description: string) =>
    valueOf<object>({ type: 'object', additionalProperties: true, description }),
  one: <T extends object>(type: RecordClass<T>, description: string) => valueOf<T>({ type, description }),
  list: <T extends object>(type: RecordClass<T>, description: string) =>
    valueOf<T[]>({ type, isArray: true, description }),
  orNull: <T>({ schema }: Value<T>) => valueOf<T | null>({ ...schema, nullable: true }),
  optional: <T>({ schema }: Value<T>) =>
    valueOf<T | undefined>({ ...schema, required: false } as ApiPropertyOptions),
};
