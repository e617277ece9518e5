import { isDeepStrictEqual } from 'node:util';
import { type Direction, isBreaking, type Kind, kindOf } from './compare-rules';
import { resolved } from './resolve';

/** A part of a document, by keyword or by name. */
type Node = Readonly<Record<string, unknown>>;
type Nodes = Readonly<Record<string, Node>>;

/** An OpenAPI document of ours. */
export interface Document extends Node {
  readonly paths: Readonly<Record<string, Nodes>>;
  readonly components: { readonly schemas: Nodes };
}

/** One difference, in words. */
export interface Change {
  /** Whether a program for the state before may have to change. */
  readonly breaking: boolean;
  readonly place: string;
  readonly what: string;
}

/** Returns the differences between two states of a document, breaking changes first. */
export function changesBetween(before: Document, after: Document): Change[] {
  const changes = new Comparison(resolved(before), resolved(after)).run();
  const place = 'the document';
  if (changes.length === 0 && !isDeepStrictEqual(before, after))
    changes.push({ breaking: true, place, what: 'differs in something that is not compared' });
  if (changes.length === 0 && JSON.stringify(before) !== JSON.stringify(after))
    changes.push({ breaking: false, place, what: 'has the same in another order' });
  return [...changes.filter(({ breaking }) => breaking), ...changes.filter(({ breaking }) => !breaking)];
}

/** Returns the line of a change in a list. */
export function lineOf({ breaking, place, what }: Change): string {
  return `${breaking ? 'BREAKING' : 'harmless'}  ${place}: ${what}`;
}

/** How the named entries of a keyword are compared. */
interface Entries {
  readonly gone: (name: string) => Kind;
  readonly added: (name: string, entry: Node) => Kind;
  readonly separator?: string;
  /** The other side makes them: answers of an operation, and requests that the service sends. */
  readonly isReply?: true;
}

const always = (kind: Kind) => (): Kind => kind;
const inputs: Entries = {
  // A request with an unknown parameter or property is rejected.
  gone: always('breaking'),
  added: (_name, { required }) => (required ? 'narrower' : 'harmless'),
};
const outputs: Entries = { gone: always('breaking'), added: always('harmless') };
/** A caller handles all errors in the same way, but not all successes. */
const ofStatus = (status: string): Kind => (status < '400' ? 'breaking' : 'harmless');

const ENTRIES: Readonly<Record<string, Entries>> = {
  operations: outputs,
  inputs,
  responses: { gone: ofStatus, added: ofStatus, isReply: true },
  codes: { ...outputs, isReply: true },
  callbacks: { ...outputs, isReply: true },
  // Only a caller that asks for another type gets it.
  content: { gone: always('breaking'), added: always('harmless') },
  headers: outputs,
  properties: { ...inputs, separator: '.' },
  variants: { gone: always('narrower'), added: always('wider') },
};

/** Keywords with a schema, and what stands for them in a place. */
const SCHEMAS: Readonly<Record<string, string>> = { schema: '', items: '[]', others: '.*' };

class Comparison {
  private readonly changes: Change[] = [];
  private readonly compared = new Set<string>();

  constructor(
    private readonly before: Document,
    private readonly after: Document,
  ) {}

  run(): Change[] {
    this.compare(rootOf(this.before), rootOf(this.after), 'as sent', '');
    return this.changes;
  }

  private compare(old: Node, now: Node, direction: Direction, place: string): void {
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const [from, to] = [old[key], now[key]] as [Node, Node];
      const entries = ENTRIES[key];
      const kind = kindOf(key, from, to, direction);
      if (entries) this.compareEntries((from ?? {}) as Nodes, (to ?? {}) as Nodes, direction, place, entries);
      else if (key in SCHEMAS) this.compareSchemas(from ?? {}, to ?? {}, direction, place + SCHEMAS[key]!);
      else if (kind === 'breaking' && isNode(from) && isNode(to))
        this.compare(from, to, direction, [place, key].filter(Boolean).join(', '));
      else if (kind)
        this.note(
          kind,
          direction,
          place || 'the document',
          `has ${key} ${said(to)} instead of ${said(from)}`,
        );
    }
  }

  private compareEntries(
    olds: Nodes,
    nows: Nodes,
    direction: Direction,
    place: string,
    { gone, added, separator = ', ', isReply }: Entries,
  ): void {
    const side = isReply ? (direction === 'as sent' ? 'as answered' : 'as sent') : direction;
    for (const name of new Set([...Object.keys(olds), ...Object.keys(nows)])) {
      const [old, now] = [olds[name], nows[name]];
      const here = place ? place + separator + name : name;
      if (old && now) this.compare(old, now, side, here);
      else if (old) this.note(gone(name), side, here, 'is gone');
      else this.note(added(name, now!), side, here, 'is new');
    }
  }

  /** Compares two schemas; those with a name only once in each direction. */
  private compareSchemas(before: Node, after: Node, direction: Direction, place: string): void {
    const [old, now] = [shapeOf(before, this.before), shapeOf(after, this.after)];
    this.compare(old.own, now.own, direction, place);
    const pair = `${direction} ${old.name} ${now.name}`;
    if (old.name && now.name && this.compared.has(pair)) return;
    this.compared.add(pair);
    const here = old.name && old.name === now.name ? old.name : place;
    if ([old, now].some(({ schema }) => schema.oneOf ?? schema.anyOf))
      this.compare(withVariants(old, this.before), withVariants(now, this.after), direction, here);
    else this.compare(withProperties(old), withProperties(now), direction, here);
  }

  private note(kind: Kind, direction: Direction, place: string, what: string): void {
    this.changes.push({ breaking: isBreaking(kind, direction), place: `${place}, ${direction}`, what });
  }
}

function said(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const named = <T>(list: unknown, entryOf: (item: T) => [string, unknown]): Node =>
  Object.fromEntries(((list ?? []) as T[]).map(entryOf));

function rootOf({ paths, components, ...rest }: Document): Node {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => [`${method.toUpperCase()} ${path}`, operationOf(one)]),
  );
  return { ...rest, operations: Object.fromEntries(operations), components: { ...components, schemas: {} } };
}

/** Returns an operation with a name for each parameter, error code and callback. */
function operationOf({ parameters, requestBody, callbacks, 'x-codes': codes, ...rest }: Node): Node {
  const ofPlace = named<Node & { in: string; name: string }>(
    parameters,
    ({ in: place, name, ...parameter }) => [
      // Names of headers are the same in any case.
      `${place} parameter ${place === 'header' ? name.toLowerCase() : name}`,
      parameter,
    ],
  );
  return {
    ...rest,
    inputs: { ...ofPlace, ...(requestBody ? { body: requestBody } : {}) },
    codes: named<string>(codes, (code) => [`error code ${code}`, {}]),
    callbacks: named<[string, Record<string, Nodes>]>(
      Object.entries(callbacks ?? {}),
      ([event, addresses]) => [
        `callback ${event}`,
        operationOf(Object.values(Object.values(addresses)[0]!)[0]!),
      ],
    ),
  };
}

/** A schema without a reference at its top. */
interface Shape {
  readonly schema: Node;
  /** Keywords beside the reference. */
  readonly own: Node;
  /** Name in the components. */
  readonly name?: string;
}

function shapeOf({ $ref, allOf, ...own }: Node, document: Document): Shape {
  const parts = (allOf ?? []) as Node[];
  if (parts.length > 1) throw new Error('A schema of several others is not supported.');
  if (parts[0]) return { ...shapeOf(parts[0], document), own };
  if (typeof $ref !== 'string') return { schema: own, own: {} };
  const name = $ref.split('/').at(-1)!;
  const target = document.components.schemas[name];
  if (!target) throw new Error(`The document has no schema ${name}.`);
  return { ...shapeOf(target, document), name };
}

/** Returns what the schema allows by name of the variant; a schema without variants is its only one. */
function withVariants({ schema, name }: Shape, document: Document): Node {
  const { oneOf, anyOf, ...own } = schema;
  const variants = (oneOf ?? anyOf) as Node[] | undefined;
  const { nullable, default: value } = schema;
  const entries = named<Node>(variants ?? [schema], (one) => {
    const shape = variants ? shapeOf(one, document) : { schema, name };
    return [shape.name ?? (shape.schema.type as string) ?? 'anything', { schema: one }];
  });
  return { ...(variants ? own : { nullable, default: value }), variants: entries };
}

/** Returns a schema with `required` at each property. */
function withProperties({ schema: { required, properties, additionalProperties, ...own } }: Shape): Node {
  const isRequired = (name: string): boolean => ((required ?? []) as string[]).includes(name);
  return {
    ...own,
    properties: named<[string, Node]>(Object.entries(properties ?? {}), ([name, schema]) => [
      name,
      { schema, required: isRequired(name) },
    ]),
    closed: additionalProperties === false,
    ...(isNode(additionalProperties) ? { others: additionalProperties } : {}),
  };
}
