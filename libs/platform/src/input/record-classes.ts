import { type Type } from '@nestjs/common';
import { type Field, type RecordDefinition, type RecordOf, type ShownOf } from './field';
import { Input, type RecordClass, Shown, ShownAs } from './field.decorator';
import type { Value } from './values';

/** Classes of records and of elements of lists, by property. */
type Nested<D> = { readonly [K in keyof D]?: RecordClass };

/**
 * A request class: names, types, checks and the OpenAPI document come from the definition.
 *
 * @param base a request class whose properties come first
 */
export function InputOf<D extends RecordDefinition, B extends object = object>(
  definition: D,
  nested: Nested<D> = {},
  base?: Type<B>,
) {
  return classOf(definition, nested, Input, base) as Type<RecordOf<D> & B>;
}

/** The properties of a response: fields, and values that no request has. */
type Properties = Readonly<Record<string, Field | Value<unknown>>>;

type Values<D> = { [K in keyof D as D[K] extends Value<unknown> ? K : never]: D[K] };
type Fields<D> = { [K in keyof D as D[K] extends Value<unknown> ? never : K]: D[K] };
type ItemTypeOf<D> = ShownOf<Fields<D>> & {
  [K in keyof Values<D>]: D[K] extends Value<infer T> ? T : never;
};

/**
 * A response class: types and the OpenAPI document come from the definition.
 *
 * @param base a response class whose properties come first
 */
export function ItemOf<D extends Properties, B extends object = object>(
  definition: D,
  nested: Nested<D> = {},
  base?: Type<B>,
) {
  const decorate = (property: Field | Value<unknown>, of?: RecordClass): PropertyDecorator =>
    'schema' in property ? ShownAs(property.schema) : Shown(property, of);
  return classOf(definition, nested, decorate, base) as Type<ItemTypeOf<D> & B>;
}

function classOf<P extends Field | Value<unknown>>(
  definition: Readonly<Record<string, P>>,
  nested: Readonly<Record<string, RecordClass | undefined>>,
  decorate: (property: P, nested?: RecordClass) => PropertyDecorator,
  base: Type<object> = class {},
): Type<object> {
  class Model extends base {}
  for (const [name, field] of Object.entries(definition)) {
    // Nest asks for the type that TypeScript writes for declared properties.
    Reflect.defineMetadata('design:type', Object, Model.prototype, name);
    decorate(field, nested[name])(Model.prototype, name);
  }
  return Model;
}
