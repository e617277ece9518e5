import { type Type } from '@nestjs/common';
import { type RecordDefinition, type RecordOf, type ShownOf } from '../records/field';
import { Input, type RecordClass, Shown } from './field.decorator';

/** Classes of records and of elements of lists, by property. */
type Nested<D> = { readonly [K in keyof D]?: RecordClass };

/** A request class: names, types, checks and the OpenAPI document come from the definition. */
export function InputOf<D extends RecordDefinition>(definition: D, nested: Nested<D> = {}) {
  return classOf(definition, nested, Input) as Type<RecordOf<D>>;
}

/** A class of answers: types and the OpenAPI document come from the definition. */
export function ItemOf<D extends RecordDefinition>(definition: D, nested: Nested<D> = {}) {
  return classOf(definition, nested, Shown) as Type<ShownOf<D>>;
}

function classOf<D extends RecordDefinition>(
  definition: D,
  nested: Nested<D>,
  decorate: typeof Input,
): Type<object> {
  class Model {}
  for (const [name, field] of Object.entries(definition)) {
    // Nest asks for the type that TypeScript writes for declared properties.
    Reflect.defineMetadata('design:type', Object, Model.prototype, name);
    decorate(field, nested[name])(Model.prototype, name);
  }
  return Model;
}
