import { depth } from '../../setup/depth';
import { type Document, exampleOf, type Placed, type Schema } from './openapi-faults';

/** A schema with its limits. */
interface Limited extends Schema {
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** A body in which one property has another value. */
export interface FieldCase {
  readonly body: unknown;
  /** Pointer of the property, and its value. */
  readonly name: string;
  readonly pointer: string;
  /** Code of the validation error. A value at a limit must not cause this code; `none` must not cause any. */
  readonly code: string;
  readonly isAllowed: boolean;
}

type Path = readonly (string | number)[];
type Value = readonly [value: unknown, code: string, isAllowed?: boolean];

/** Values that a property of a type does not take. */
const OTHER_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: [4, true, ['x'], {}],
  integer: ['4', true, [4], 1.5],
  number: [true, [4], {}],
  boolean: ['true', 1, [true]],
  array: ['x', 4, {}],
  object: ['x', 4, []],
};

/** The maximum of a body: longer texts are 413. */
const MOST_BYTES = 2 ** 20;

/** Returns the values to send for a property. */
function valuesOf(schema: Limited, isRequired: boolean): Value[] {
  const { type = '', maxLength = Infinity, minimum, maximum, maxItems } = schema;
  const isDate = schema.pattern?.startsWith('^(\\d{4})-');
  const values: Value[] = (OTHER_TYPES[type] ?? [])
    .slice(0, depth(2, 4))
    .map((one): Value => [one, isDate ? 'date' : 'type']);
  if (isRequired) values.push([undefined, 'required'], [null, 'required']);
  else if (schema.nullable) values.push([null, 'none', true]);
  if (isDate) values.push(['hier', 'date'], ['2026-02-30T00:00:00Z', 'date']);
  else if (schema.enum) values.push(['inconnu', 'choice']);
  else if (type === 'string') {
    if (isRequired) values.push(['  ', 'required']);
    values.push(['a\u0000', 'characters'], ['a\ud800', 'characters']);
    if (maxLength < MOST_BYTES) values.push(['x'.repeat(maxLength + 1), 'length']);
    // People count signs, not units of UTF-16.
    for (const sign of ['x', '🙂'])
      if (maxLength < MOST_BYTES / 4) values.push([sign.repeat(maxLength), 'length', true]);
  }
  if (minimum !== undefined) values.push([minimum - 1, 'range'], [minimum, 'range', true]);
  if (maximum !== undefined) values.push([maximum + 1, 'range'], [maximum, 'range', true]);
  if (maxItems !== undefined && schema.items?.type === 'string') {
    const items = Array.from({ length: maxItems + 1 }, (_, index) => `${index}`);
    values.push([items, 'length'], [items.slice(1), 'length', true]);
    if (schema.uniqueItems && !schema.items.format) values.push([['A', ' A '], 'duplicate']);
  }
  return values;
}

/** Returns a copy of a body with another value at a path; undefined leaves the property out. */
function changed(body: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  const part = (body as Record<string, unknown>)[first];
  const next = changed(part, rest, value);
  return Array.isArray(body) ? body.with(first as number, next) : { ...(body as object), [first]: next };
}

/** Returns the example of an operation's body with each property changed in each way. */
export function fieldCasesOf({ operation }: Placed, document: Document): FieldCase[] {
  const media = operation.requestBody?.content['application/json'];
  if (!media) return [];
  const body = media.example ?? exampleOf(media.schema!, document);
  const cases: FieldCase[] = [];
  const add = (path: Path, [value, code, isAllowed = false]: Value): void => {
    const pointer = path.map((part) => `/${part}`).join('');
    const name = `${pointer} ${JSON.stringify(value)?.slice(0, 30) ?? 'absent'}`;
    cases.push({ body: changed(body, path, value), name, pointer, code, isAllowed });
  };
  const visit = (schema: Limited, value: unknown, path: Path): void => {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference) return visit(document.components.schemas[reference.split('/').at(-1)!]!, value, path);
    if (Array.isArray(value) && value.length > 0) return visit(schema.items ?? {}, value[0], [...path, 0]);
    if (!schema.properties || typeof value !== 'object' || value === null) return;
    add([...path, 'inconnu'], [1, 'unknown']);
    for (const [name, property] of Object.entries(schema.properties)) {
      if (property.readOnly) continue;
      const isRequired = schema.required?.includes(name) ?? false;
      for (const one of valuesOf(property, isRequired)) add([...path, name], one);
      visit(property, (value as Record<string, unknown>)[name], [...path, name]);
    }
  };
  visit(media.schema!, body, []);
  if (Array.isArray(body)) return cases;
  for (const whole of [[body], 'null', '{"']) add([], [whole, whole === '{"' ? 'json' : 'type']);
  const [[name, value] = ['', '']] = Object.entries(body as object);
  const first = name.charAt(0);
  const other = (first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase()) + name.slice(1);
  if (name) add([other], [value, 'duplicate']);
  return cases;
}
