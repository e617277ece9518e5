import { isDeepStrictEqual } from 'node:util';

/** The keywords of an OpenAPI 3.0 schema that restrict its values. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly readOnly?: boolean;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly multipleOf?: number;
  readonly uniqueItems?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export type Schemas = Readonly<Record<string, Schema>>;

/** One difference in words. */
export interface Change {
  /** Whether programs for the previous state may have to change. */
  readonly breaking: boolean;
  readonly place: string;
  readonly what: string;
}

/** The sender of the values: a caller may send more than before; a response may not contain more than before. */
export type Direction = 'request' | 'answer';

/** A schema without a reference at its top, and its name in the components. */
interface Shape {
  readonly schema: Schema;
  readonly name: string | undefined;
}

const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const EXACT = ['pattern', 'format', 'multipleOf'] as const;
const FLAGS = ['exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'] as const;

/** Compares schemas of two states of a document, each named schema once for each direction. */
export class SchemaComparison {
  readonly changes: Change[] = [];
  private readonly compared = new Set<string>();

  constructor(
    private readonly before: Schemas,
    private readonly after: Schemas,
  ) {}

  compare(before: Schema, after: Schema, direction: Direction, place: string): void {
    const old = shapeOf(before, this.before);
    const now = shapeOf(after, this.after);
    const pair = `${direction} ${old.name ?? ''} ${now.name ?? ''}`;
    if (old.name && now.name) {
      if (this.compared.has(pair)) return;
      this.compared.add(pair);
    }
    const here = old.name && old.name === now.name ? old.name : place;
    if (isOneOfSeveral(old.schema) || isOneOfSeveral(now.schema))
      this.compareVariants(old, now, direction, here);
    else this.compareValues(old.schema, now.schema, direction, here);
  }

  private compareVariants(old: Shape, now: Shape, direction: Direction, place: string): void {
    this.compareNull(old.schema, now.schema, direction, place);
    this.compareDefaults(old.schema, now.schema, direction, place);
    const olds = variantsOf(old, this.before);
    const nows = variantsOf(now, this.after);
    for (const [key, schema] of olds) {
      const same = nows.get(key);
      if (same) this.compare(schema, same, direction, place);
      else this.note('narrower', direction, place, `can no longer be ${key}`);
    }
    for (const key of nows.keys())
      if (!olds.has(key)) this.note('wider', direction, place, `can now be ${key}`);
  }

  private compareValues(old: Schema, now: Schema, direction: Direction, place: string): void {
    if (!this.compareTypes(old, now, direction, place)) return;
    this.compareNull(old, now, direction, place);
    if (direction === 'request' && !old.readOnly && now.readOnly)
      this.noteBroken(direction, place, 'is no longer read');
    this.compareEnums(old, now, direction, place);
    this.compareDefaults(old, now, direction, place);
    this.compareLimits(old, now, direction, place);
    if (old.items || now.items) this.compare(old.items ?? {}, now.items ?? {}, direction, `${place}[]`);
    this.compareProperties(old, now, direction, place);
    this.compareOthers(old, now, direction, place);
  }

  /** Returns whether the two types have common values, which the next comparisons need. */
  private compareTypes(old: Schema, now: Schema, direction: Direction, place: string): boolean {
    if (old.type === now.type) return true;
    const what = `is now ${now.type ?? 'anything'} instead of ${old.type ?? 'anything'}`;
    if (includes(old.type, now.type)) this.note('narrower', direction, place, what);
    else if (includes(now.type, old.type)) this.note('wider', direction, place, what);
    else {
      this.changes.push({ breaking: true, place: placeIn(direction, place), what });
      return false;
    }
    return true;
  }

  private compareNull(old: Schema, now: Schema, direction: Direction, place: string): void {
    if (old.nullable && !now.nullable) this.note('narrower', direction, place, 'can no longer be null');
    if (!old.nullable && now.nullable) this.note('wider', direction, place, 'can now be null');
  }

  private compareEnums(old: Schema, now: Schema, direction: Direction, place: string): void {
    // `nullable` already says whether a list contains null.
    const valuesOf = ({ enum: values }: Schema) =>
      values?.filter((value) => value !== null).map((value) => JSON.stringify(value));
    const olds = valuesOf(old);
    const nows = valuesOf(now);
    if (!olds && !nows) return;
    if (!olds) return this.note('narrower', direction, place, `can only be ${nows!.join(', ')}`);
    if (!nows) return this.note('wider', direction, place, `can be more than ${olds.join(', ')}`);
    const gone = olds.filter((value) => !nows.includes(value));
    const added = nows.filter((value) => !olds.includes(value));
    if (gone.length > 0) this.note('narrower', direction, place, `can no longer be ${gone.join(', ')}`);
    if (added.length > 0) this.note('wider', direction, place, `can now be ${added.join(', ')}`);
  }

  /** A default applies to omitted values of requests; responses have no defaults. */
  private compareDefaults(old: Schema, now: Schema, direction: Direction, place: string): void {
    if (direction === 'answer' || isDeepStrictEqual(old.default, now.default)) return;
    const what = `has default ${said(now.default)} instead of ${said(old.default)}`;
    if (old.default === undefined) this.noteHarmless(direction, place, what);
    else this.noteBroken(direction, place, what);
  }

  private compareLimits(old: Schema, now: Schema, direction: Direction, place: string): void {
    const noteLimit = (limit: string, from: unknown, to: unknown, kind: 'narrower' | 'wider'): void =>
      this.note(kind, direction, place, `has ${limit} ${said(to)} instead of ${said(from)}`);
    for (const limit of LOWER) {
      const [from, to] = [old[limit], now[limit]];
      if (from !== to)
        noteLimit(limit, from, to, (to ?? -Infinity) > (from ?? -Infinity) ? 'narrower' : 'wider');
    }
    for (const limit of UPPER) {
      const [from, to] = [old[limit], now[limit]];
      if (from !== to)
        noteLimit(limit, from, to, (to ?? Infinity) < (from ?? Infinity) ? 'narrower' : 'wider');
    }
    for (const flag of FLAGS) {
      const [from, to] = [old[flag] ?? false, now[flag] ?? false];
      if (from !== to) noteLimit(flag, from, to, to ? 'narrower' : 'wider');
    }
    for (const rule of EXACT) {
      const [from, to] = [old[rule], now[rule]];
      if (from === to) continue;
      if (from === undefined) noteLimit(rule, from, to, 'narrower');
      else if (to === undefined) noteLimit(rule, from, to, 'wider');
      // Two different rules may have common values, but at least some values changed.
      else {
        const what = `has ${rule} ${said(to)} instead of ${said(from)}`;
        this.changes.push({ breaking: true, place: placeIn(direction, place), what });
      }
    }
  }

  private compareProperties(old: Schema, now: Schema, direction: Direction, place: string): void {
    const olds = old.properties ?? {};
    const nows = now.properties ?? {};
    for (const [name, schema] of Object.entries(olds)) {
      const property = `${place}.${name}`;
      const same = nows[name];
      // Requests with unknown properties are rejected, so a removed property breaks its senders.
      if (!same) this.noteBroken(direction, property, 'is gone');
      else {
        this.comparePresence(old, now, name, direction, property);
        this.compare(schema, same, direction, property);
      }
    }
    for (const name of Object.keys(nows)) {
      if (olds[name]) continue;
      const isDemanded = direction === 'request' && now.required?.includes(name);
      if (isDemanded) this.noteBroken(direction, `${place}.${name}`, 'is new and required');
      else this.noteHarmless(direction, `${place}.${name}`, 'is new');
    }
  }

  private comparePresence(
    old: Schema,
    now: Schema,
    name: string,
    direction: Direction,
    property: string,
  ): void {
    const was = old.required?.includes(name) ?? false;
    const is = now.required?.includes(name) ?? false;
    if (!was && is) this.note('narrower', direction, property, 'is now always required');
    if (was && !is) this.note('wider', direction, property, 'can now be absent');
  }

  private compareOthers(old: Schema, now: Schema, direction: Direction, place: string): void {
    const olds = old.additionalProperties ?? true;
    const nows = now.additionalProperties ?? true;
    if (olds === nows) return;
    if (nows === false) this.note('narrower', direction, place, 'can no longer have other properties');
    else if (olds === false) this.note('wider', direction, place, 'can now have other properties');
    else {
      const schemaOf = (others: true | Schema): Schema => (others === true ? {} : others);
      this.compare(schemaOf(olds), schemaOf(nows), direction, `${place}.*`);
    }
  }

  private note(kind: 'narrower' | 'wider', direction: Direction, place: string, what: string): void {
    const breaking = (direction === 'request') === (kind === 'narrower');
    this.changes.push({ breaking, place: placeIn(direction, place), what });
  }

  private noteBroken(direction: Direction, place: string, what: string): void {
    this.changes.push({ breaking: true, place: placeIn(direction, place), what });
  }

  private noteHarmless(direction: Direction, place: string, what: string): void {
    this.changes.push({ breaking: false, place: placeIn(direction, place), what });
  }
}

const said = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

const placeIn = (direction: Direction, place: string): string =>
  `${place}, ${direction === 'request' ? 'as sent' : 'as answered'}`;

const nameOf = (ref: string): string => ref.split('/').at(-1)!;

/** Returns whether every value of the inner type is also of the outer one. Without a type all values are allowed. */
function includes(outer: string | undefined, inner: string | undefined): boolean {
  return outer === undefined || outer === inner || (outer === 'number' && inner === 'integer');
}

/** Returns a schema with its references resolved and the parts of `allOf` merged. */
function shapeOf(schema: Schema, components: Schemas): Shape {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    const target = components[name];
    if (!target) throw new Error(`The document has no schema ${name}.`);
    return { schema: shapeOf(target, components).schema, name };
  }
  if (!schema.allOf) return { schema, name: undefined };
  const { allOf, ...own } = schema;
  const shapes = allOf.map((part) => shapeOf(part, components));
  const parts = [...shapes.map((shape) => shape.schema), own];
  const merged: Schema = {
    ...(Object.assign({}, ...parts) as Schema),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Schemas,
    required: parts.flatMap(({ required }) => required ?? []),
  };
  // A reference with null is a different schema than the reference.
  return { schema: merged, name: shapes.length === 1 && !own.nullable ? shapes[0]!.name : undefined };
}

const isOneOfSeveral = ({ oneOf, anyOf }: Schema): boolean => Boolean(oneOf ?? anyOf);

/** Returns the alternatives of a schema by name. A schema without alternatives is its own only one. */
function variantsOf({ schema, name }: Shape, components: Schemas): Map<string, Schema> {
  const variants = schema.oneOf ?? schema.anyOf;
  if (!variants) return new Map([[name ?? schema.type ?? 'anything', schema]]);
  return new Map(
    variants.map((variant) => {
      const shape = shapeOf(variant, components);
      return [shape.name ?? shape.schema.type ?? 'anything', variant];
    }),
  );
}
