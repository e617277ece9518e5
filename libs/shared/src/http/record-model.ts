import { type Type } from '@nestjs/common';
import { type RecordDefinition } from '../records/field';
import { Input } from './field.decorator';

/**
 * A class with the fields of a definition, for the OpenAPI document of records that are checked in bulk.
 *
 * @param nested classes of the elements of its lists, by property
 */
export function RecordModel(
  name: string,
  definition: RecordDefinition,
  nested: Readonly<Record<string, Type<object>>> = {},
): Type<object> {
  const model = { [name]: class {} }[name]!;
  for (const [property, field] of Object.entries(definition))
    Input(field, nested[property])(model.prototype, property);
  return model;
}
