import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';
import { jsonSchemaOf, type Schemas } from './json-schema';

/** The converted schema of one component among these. */
const of = (schema: object, others: Schemas = {}): unknown =>
  (jsonSchemaOf('It', { It: schema, ...others }) as { $defs: Record<string, unknown> }).$defs.It;

/** Whether a value passes the schema of a component, by a validator of that dialect. */
function accepts(schema: object, value: unknown, others: Schemas = {}): boolean {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  return ajv.validate(jsonSchemaOf('It', { It: schema, ...others }), value);
}

describe('jsonSchemaOf', () => {
  it('names the dialect and points at the component, with all that it refers to and nothing more', () => {
    const schemas = {
      It: { type: 'object', properties: { part: { $ref: '#/components/schemas/Part' } } },
      Part: { type: 'array', items: { $ref: '#/components/schemas/Leaf' } },
      Leaf: { type: 'string' },
      Other: { type: 'number' },
    };
    expect(jsonSchemaOf('It', schemas)).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $ref: '#/$defs/It',
      $defs: {
        It: { type: 'object', properties: { part: { $ref: '#/$defs/Part' } } },
        Part: { type: 'array', items: { $ref: '#/$defs/Leaf' } },
        Leaf: { type: 'string' },
      },
    });
  });

  it('leaves what it reads as it was', () => {
    const schemas = { It: { type: 'string', nullable: true, example: 'x', enum: ['x'] } };
    const before = JSON.stringify(schemas);
    jsonSchemaOf('It', schemas);
    expect(JSON.stringify(schemas)).toBe(before);
  });

  it('reads a component that refers to itself, also by others', () => {
    const schemas = {
      It: {
        type: 'object',
        properties: {
          child: { $ref: '#/components/schemas/It' },
          way: { $ref: '#/components/schemas/Way' },
        },
      },
      Way: { type: 'object', properties: { back: { $ref: '#/components/schemas/It' } } },
    };
    expect(accepts(schemas.It, { child: { way: { back: { child: {} } } } }, { Way: schemas.Way })).toBe(true);
    expect(accepts(schemas.It, { child: { way: { back: { child: 7 } } } }, { Way: schemas.Way })).toBe(false);
  });

  it('fails for a component, or a reference, that is not there', () => {
    expect(() => jsonSchemaOf('It', {})).toThrow('no schema It');
    expect(() => of({ $ref: '#/components/schemas/Gone' })).toThrow('no schema Gone');
  });

  it.each<[string, object, object]>([
    ['a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'a type of its own format',
      { type: 'string', format: 'uuid', nullable: true },
      { type: ['string', 'null'], format: 'uuid' },
    ],
    [
      'words',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'a reference among others',
      { allOf: [{ $ref: '#/components/schemas/Part' }], nullable: true },
      { anyOf: [{ allOf: [{ $ref: '#/$defs/Part' }] }, { type: 'null' }] },
    ],
    [
      'one of several',
      { oneOf: [{ type: 'string' }, { type: 'number' }], nullable: true },
      { anyOf: [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, { type: 'null' }] },
    ],
    ['what is not nullable', { type: 'string', nullable: false }, { type: 'string' }],
  ])('says null by the type of %s', (_what, schema, converted) => {
    const others = { Part: { type: 'number' } };
    expect(of(schema, others)).toEqual(converted);
    const isNullable = JSON.stringify(schema).includes('"nullable":true');
    expect(accepts(schema, null, others)).toBe(isNullable);
  });

  it('says null inside lists, objects and choices as well', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'integer', nullable: true } } },
      additionalProperties: { type: 'string', nullable: true },
    };
    expect(of(schema)).toEqual({
      type: 'object',
      properties: { list: { type: 'array', items: { type: ['integer', 'null'] } } },
      additionalProperties: { type: ['string', 'null'] },
    });
    expect(accepts(schema, { list: [1, null], more: null })).toBe(true);
    expect(accepts(schema, { list: null })).toBe(false);
  });

  it('turns an example into examples, whatever it is', () => {
    for (const example of ['x', 0, false, null, { nullable: true, example: 1 }, ['x']])
      expect(of({ description: 'd', example })).toEqual({ description: 'd', examples: [example] });
  });

  it('leaves the values of enumerations and defaults alone, and lists of required properties', () => {
    const data = { nullable: true, $ref: 'x', example: 1 };
    const schema = { enum: [data], default: data, required: ['nullable'] };
    expect(of(schema)).toEqual(schema);
  });

  it('turns an exclusive minimum into its number', () => {
    const schema = { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 5 };
    expect(of(schema)).toEqual({ type: 'number', exclusiveMinimum: 0, maximum: 5 });
    expect([accepts(schema, 0), accepts(schema, 0.1)]).toEqual([false, true]);
  });

  it('leaves out the discriminator, which names components of the document', () => {
    const schema = {
      oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }],
      discriminator: { propertyName: 'type', mapping: { a: '#/components/schemas/A' } },
    };
    const kind = (type: string) => ({
      type: 'object',
      properties: { type: { type: 'string', enum: [type] } },
      required: ['type'],
    });
    const others = { A: kind('a'), B: kind('b') };
    expect(of(schema, others)).toEqual({ oneOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] });
    expect(accepts(schema, { type: 'b' }, others)).toBe(true);
    expect(accepts(schema, { type: 'c' }, others)).toBe(false);
  });

  it('takes properties that are named as words of a schema for properties', () => {
    const properties = Object.fromEntries(
      ['example', 'nullable', 'default', 'enum', 'required', 'discriminator', '$ref', 'type'].map((name) => [
        name,
        { type: 'string', nullable: true },
      ]),
    );
    const schema = { type: 'object', properties };
    const converted = Object.fromEntries(
      Object.keys(properties).map((name) => [name, { type: ['string', 'null'] }]),
    );
    expect(of(schema)).toEqual({ type: 'object', properties: converted });
  });
});
