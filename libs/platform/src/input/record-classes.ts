import { type Type } from '@nestjs/common';
import { type RecordDefinition, type RecordOf, type ShownOf } from './field';
import { Input, type RecordClass, Shown } from './field.decorator';

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

/**
 * A class of answers: types and the OpenAPI document come from the definition.
 *
 * @param base a class of answers whose properties come first
 */
export function ItemOf<D extends RecordDefinition, B extends object = object>(
  definition: D,
  nested: Nested<D> = {},
  base?: Type<B>,
) {
  return classOf(definition, nested, Shown, base) as Type<ShownOf<D> & B>;
}

function classOf<D extends RecordDefinition>(
  definition: D,
  nested: Nested<D>,
  decorate: typeof Input,
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
