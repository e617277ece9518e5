import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { type Draft, type JsonTree, render } from './valid-request';
import * as nasty from './nasty';

/** Makes one part of a request invalid. */
export interface Mutation {
  name: string;
  apply: (draft: Draft) => void;
}

/** Any mutation of any part of the request. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 6, arbitrary: treeMutation() },
  { weight: 2, arbitrary: bytesMutation() },
  { weight: 2, arbitrary: pathMutation() },
  { weight: 3, arbitrary: queryMutation() },
  { weight: 4, arbitrary: headerMutation() },
  { weight: 1, arbitrary: methodMutation() },
);

type ObjectTree = Extract<JsonTree, { entries: unknown }>;

function objectsIn(tree: JsonTree): ObjectTree[] {
  if (typeof tree === 'string') return [];
  if ('items' in tree) return tree.items.flatMap(objectsIn);
  return [tree, ...tree.entries.flatMap(([, value]) => objectsIn(value))];
}

/** Changes an object of the body, at any depth; a request without a body gets one. */
function treeMutation(): fc.Arbitrary<Mutation> {
  const change = fc.oneof(
    {
      weight: 5,
      arbitrary: nasty.jsonValue.map((text) => ['value', (entry: Entry) => [[entry[0], text]]] as Change),
    },
    fc.constant<Change>(['absent', () => []]),
    fc.constant<Change>(['twice', (entry) => [entry, entry]]),
    fc.constant<Change>([
      'both casings',
      ([key, value]) => [
        [key, value],
        [otherCase(key), value],
      ],
    ]),
    fc.constant<Change>(['other casing', ([key, value]) => [[otherCase(key), value]]]),
    fc.constant<Change>(['list of it', ([key, value]) => [[key, { items: [value] }]]]),
    nasty.jsonKey.map((key): Change => ['key', ([, value]) => [[key, value]]]),
    fc.tuple(nasty.jsonKey, nasty.jsonValue).map((added): Change => ['more', (entry) => [entry, added]]),
  );
  const spoilt = fc.tuple(change, fc.nat(), fc.nat()).map(([[name, spoil], object, entry]): Mutation => ({
    name: `body ${name}`,
    apply: (draft) => {
      draft.body ??= { entries: [['"idExterne"', '"ID-1"']] };
      draft.headers['Content-Type'] ??= 'application/json';
      const objects = objectsIn(draft.body);
      const { entries } = objects[object % objects.length] ?? { entries: [] };
      if (entries.length > 0)
        entries.splice(entry % entries.length, 1, ...spoil(entries[entry % entries.length]!));
    },
  }));
  const whole = nasty.jsonValue.map((text): Mutation => ({
    name: 'body replaced',
    apply: (draft) => void (draft.body = text),
  }));
  return fc.oneof({ weight: 8, arbitrary: spoilt }, { weight: 1, arbitrary: whole });
}

type Entry = ObjectTree['entries'][number];
type Change = [name: string, spoil: (entry: Entry) => Entry[]];

/** `"nom"` → `"Nom"` and back. */
function otherCase(key: string): string {
  const first = key.charAt(1);
  return `"${first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase()}${key.slice(2)}`;
}

/** Damages the bytes of the body, or packs them. */
function bytesMutation(): fc.Arbitrary<Mutation> {
  const edit = (
    name: string,
    change: (bytes: Buffer) => Buffer,
    headers: Draft['headers'] = {},
  ): Mutation => ({
    name: `bytes ${name}`,
    apply: (draft) => {
      draft.edits.push(change);
      Object.assign(draft.headers, headers);
    },
  });
  const gzip = { 'Content-Encoding': 'gzip' };
  const cut = (bytes: Buffer, share: number): Buffer => bytes.subarray(0, Math.floor(bytes.length * share));
  return fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }).map((share) => edit('cut', (bytes) => cut(bytes, share))),
    fc
      .tuple(nasty.bytes, fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([odd, share]) =>
        edit('odd', (bytes) =>
          Buffer.concat([cut(bytes, share), odd, bytes.subarray(cut(bytes, share).length)]),
        ),
      ),
    nasty.jsonTail.map((tail) => edit('tail', (bytes) => Buffer.concat([bytes, Buffer.from(tail)]))),
    fc.constantFrom(
      edit('empty', () => Buffer.alloc(0)),
      edit('UTF-16', (bytes) => Buffer.from(bytes.toString(), 'utf16le')),
      edit('BOM', (bytes) => Buffer.concat([Buffer.from('\uFEFF'), bytes])),
      edit('gzip', (bytes) => gzipSync(bytes), gzip),
      edit('gzip cut', (bytes) => cut(gzipSync(bytes), 0.7), gzip),
      edit('no gzip', (bytes) => bytes, gzip),
      edit('bomb', () => gzipSync(Buffer.alloc(3_000_000, ' ')), gzip),
      edit('over the limit', (bytes) => Buffer.concat([bytes, Buffer.alloc(1_048_577, ' ')])),
    ),
    fc.constant<Mutation>({ name: 'chunked', apply: (draft) => void (draft.chunked = true) }),
  );
}

function pathMutation(): fc.Arbitrary<Mutation> {
  const spell = (name: string, change: (path: string) => string): Mutation => ({
    name: `path ${name}`,
    apply: (draft) => void (draft.path = change(draft.path)),
  });
  return fc.oneof(
    {
      weight: 3,
      arbitrary: nasty.pathPart.map((part) => spell('part', (path) => path.replace(/[^/]*$/, () => part))),
    },
    nasty.pathPart.map((part) => spell('more', (path) => `${path}/${part}`)),
    fc.tuple(nasty.pathPart, fc.integer({ min: 1, max: 6 })).map(([part, at]) =>
      spell(
        'inside',
        (path) =>
          path
            .split('/')
            .map((old, index) => (index === at ? part : old))
            .join('/') || '/',
      ),
    ),
    fc.constantFrom(
      spell('slash', (path) => `${path}/`),
      spell('double slash', (path) => path.replace(/(.)\//, '$1//')),
      spell('double slash first', (path) => `/${path}`),
      spell('capitals', (path) => path.replace(/[a-z]/g, (letter) => letter.toUpperCase())),
      spell('dots', (path) => `/x/..${path}`),
      spell('alias', (path) => path.replace(/^\/b2b\/v1\/employe/, '/api/b2b/employes')),
      spell('alias v2', (path) => path.replace(/^\/b2b\/v1/, '/api/b2b/v2')),
      spell('absolute', (path) => `http://elsewhere.example:99999${path}`),
      spell('absolute odd', (path) => `http://[::1${path}`),
      spell('asterisk', () => '*'),
      spell('encoded', (path) => path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)),
    ),
  );
}

function queryMutation(): fc.Arbitrary<Mutation> {
  const pairs = fc.array(fc.tuple(nasty.queryName, nasty.queryValue), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    {
      weight: 4,
      arbitrary: pairs.map((more): Mutation => ({
        name: 'query more',
        apply: (draft) => void draft.query.push(...more),
      })),
    },
    fc.constant<Mutation>({ name: 'query twice', apply: (draft) => void draft.query.push(...draft.query) }),
    nasty.queryValue.map((value): Mutation => ({
      name: 'query value',
      apply: (draft) => draft.query.forEach((pair) => (pair[1] = value)),
    })),
  );
}

function headerMutation(): fc.Arbitrary<Mutation> {
  return nasty.header.map(([name, value]) => ({
    name: `header ${name}`,
    apply: (draft) => {
      if (value === undefined) delete draft.headers[name];
      else draft.headers[name] = value;
    },
  }));
}

function methodMutation(): fc.Arbitrary<Mutation> {
  return nasty.method.map((method) => ({ name: 'method', apply: (draft) => void (draft.method = method) }));
}

/** The body's bytes with every edit made; undefined if there is no body. */
export function bytesOf({ body, edits }: Draft): Buffer | undefined {
  if (body === undefined && edits.length === 0) return undefined;
  return edits.reduce<Buffer>(
    (bytes, edit) => edit(bytes),
    Buffer.from(body === undefined ? '' : render(body)),
  );
}
