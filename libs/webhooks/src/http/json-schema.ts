/** A schema of the OpenAPI document (3.0). */
type Schema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, object>>;

const COMPONENT = '#/components/schemas/';

/**
 * Returns the JSON Schema (2020-12) of a component of an OpenAPI document, with all components that it refers to.
 *
 * @throws Error if the document has no such component
 */
export function jsonSchemaOf(name: string, components: Schemas): object {
  const needed = new Map<string, object>();
  const convert = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(convert);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { nullable, example, ...rest } = schema as Schema;
    const converted: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(rest)) {
      if (key === '$ref') converted[key] = reference(String(value));
      // Names of properties are not keywords.
      else if (key === 'properties') converted[key] = mapValues(value as Schema, convert);
      // The values of these keywords are data, not schemas.
      else converted[key] = ['enum', 'default', 'required'].includes(key) ? value : convert(value);
    }
    if (rest.exclusiveMinimum === true) {
      converted.exclusiveMinimum = rest.minimum;
      delete converted.minimum;
    }
    if (rest.discriminator) delete converted.discriminator;
    if (example !== undefined) converted.examples = [example];
    return nullable ? orNull(converted) : converted;
  };
  const reference = (ref: string): string => {
    const target = ref.slice(COMPONENT.length);
    if (!needed.has(target)) {
      const component = components[target];
      if (!component) throw new Error(`The document has no schema ${target}.`);
      // Registered before it is converted, because it may refer to itself.
      needed.set(target, {});
      needed.set(target, convert(component) as object);
    }
    return `#/$defs/${target}`;
  };
  const $ref = reference(COMPONENT + name);
  const $defs = Object.fromEntries(needed);
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $ref, $defs };
}

function mapValues(record: Schema, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function orNull(schema: Record<string, unknown>): object {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {}),
  };
}
