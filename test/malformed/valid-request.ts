import fc from 'fast-check';
import type { Operation, Schema } from './operations';

/** JSON as a tree with texts as leaves, because it must also hold what a value cannot: a duplicate key, 1e999. */
export type JsonTree = string | { entries: [key: string, value: JsonTree][] } | { items: JsonTree[] };

export function render(tree: JsonTree): string {
  if (typeof tree === 'string') return tree;
  if ('items' in tree) return `[${tree.items.map(render).join(',')}]`;
  return `{${tree.entries.map(([key, value]) => `${key}:${render(value)}`).join(',')}}`;
}

/** A request under construction; mutations make its parts invalid. */
export interface Draft {
  method: string;
  /** The path, percent-encoded. */
  path: string;
  /** Names and values, percent-encoded. */
  query: [name: string, value: string][];
  headers: Record<string, string | string[]>;
  body?: JsonTree;
  /** Transformations of the body's bytes before they are sent, in this order. */
  edits: ((bytes: Buffer) => Buffer)[];
  chunked: boolean;
}

/** Identifiers that the tests' tenant has, had or may have: requests share them. */
export const IDENTIFIERS = [
  ...Array.from({ length: 16 }, (_, index) => `ID-${index}`),
  ...['%', '_', "L'É", '"', '\\', '...', 'a/b', '👩', 'e\u0301', '__proto__', 'constructor', 'sync'],
];

/** The smallest possible image. */
export const PNG_EXAMPLE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Existing values of path parameters, by the path before the parameter or by its name. */
export type KnownParts = Readonly<Record<string, readonly string[]>>;

const GUIDS = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'not-a-guid'];
const DATES = [
  '2026-01-31T13:00:00Z',
  '2026-01-31',
  '2024-02-29T23:59:59.999-05:00',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
];

/** Generates requests as the documentation describes them, for one operation. */
export function validDraft(
  operation: Operation,
  schemas: Record<string, Schema>,
  known: KnownParts,
): fc.Arbitrary<Draft> {
  const names = [...operation.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const part = (name: string): fc.Arbitrary<string> => {
    const pool = known[operation.path.split(`/:${name}`)[0]!] ?? known[name];
    const others = fc.constantFrom(...IDENTIFIERS, ...GUIDS);
    return pool
      ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pool) }, { weight: 1, arbitrary: others })
      : others;
  };
  const query = operation.query.map(({ name, schema }) =>
    fc.option(
      validValue(schema, schemas, name).map((value): [string, string] => [
        name,
        encodeURIComponent(JSON.parse(render(value)) as string),
      ]),
      { freq: 2, nil: undefined },
    ),
  );
  return fc
    .record({
      parts: fc.tuple(...names.map(part)),
      query: fc.tuple(...query),
      body: operation.body ? validValue(operation.body, schemas, '') : fc.constant(undefined),
    })
    .map(({ parts, query, body }): Draft => ({
      method: operation.method,
      path: names.reduce(
        (path, name, index) => path.replace(`:${name}`, () => encodeURIComponent(parts[index]!)),
        operation.path,
      ),
      query: query.filter((pair) => pair !== undefined),
      headers: {},
      ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
      edits: [],
      chunked: false,
    }));
}

/** Generates values that a schema allows, with null and undefined where allowed. */
function validValue(schema: Schema, schemas: Record<string, Schema>, name: string): fc.Arbitrary<JsonTree> {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference) return validValue(schemas[reference.split('/').at(-1)!]!, schemas, name);
  const shapes = schema.oneOf ?? schema.anyOf;
  if (shapes) return fc.oneof(...shapes.map((one) => validValue(one, schemas, name)));
  switch (schema.type) {
    case 'object':
      return validObject(schema, schemas);
    case 'array':
      return fc.array(validValue(schema.items!, schemas, name), { maxLength: 4 }).map((items) => ({
        items: schema.items?.enum || schema.uniqueItems ? [...new Set(items)] : items,
      }));
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000 }).map(String);
    case 'number':
      return fc.constantFrom('45.5', '1e2', '0', '1e999');
    case 'boolean':
      return fc.constantFrom('true', 'false');
    default:
      return validText(schema, name).map((text) => JSON.stringify(text));
  }
}

function validObject(schema: Schema, schemas: Record<string, Schema>): fc.Arbitrary<JsonTree> {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const value = validValue(property, schemas, name);
    const entry = value.map((tree): [string, JsonTree] => [JSON.stringify(name), tree]);
    if (schema.required?.includes(name)) return entry;
    const none: [string, JsonTree] = [JSON.stringify(name), 'null'];
    const nothing = fc.constantFrom(undefined, ...(property.nullable ? [none] : []));
    return fc.oneof({ weight: 2, arbitrary: entry }, { weight: 3, arbitrary: nothing });
  });
  return fc
    .tuple(...properties)
    .map((entries) => ({ entries: entries.filter((entry) => entry !== undefined) }));
}

function validText(schema: Schema, name: string): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.format === 'date-time') return fc.constantFrom(...DATES);
  if (schema.format === 'email') return fc.constantFrom('zoe@example.org', "o'brien+x@exemple.quebec");
  if (schema.format === 'uuid') return fc.constantFrom(...GUIDS);
  if (/externe|^NomChamp$|^champs$|^objetsConsentement$/i.test(name)) return fc.constantFrom(...IDENTIFIERS);
  if (name === 'imageSignature') return fc.constantFrom(PNG_EXAMPLE, PNG_EXAMPLE, PNG_EXAMPLE.slice(0, -8));
  if (name === 'montant') return fc.constantFrom('12.3456', '45', '-1', '1e3');
  if (name === 'devise') return fc.constantFrom('CAD', 'USD', 'XXX', 'cad');
  return fc
    .tuple(
      fc.constantFrom('Zoé', "L'Écuyer", '👩‍👧', typeof schema.example === 'string' ? schema.example : 'x'),
      fc.option(fc.nat(1e9), { nil: '' }),
    )
    .map(([word, number]) => `${word} ${number}`.slice(0, schema.maxLength).toWellFormed());
}
