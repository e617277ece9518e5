import fc from 'fast-check';
import { employee, employer, type Kind, type Loose, membership, union } from './support';

/** Type of a property in a record of a V2 sync. */
export type Shape =
  | { readonly kind: 'identifier' }
  | { readonly kind: 'text'; readonly max: number; readonly required?: true }
  | { readonly kind: 'email' }
  | { readonly kind: 'date'; readonly required?: true }
  | { readonly kind: 'list'; readonly max?: number };

/** The kinds of records in a V2 sync, with their properties (docs/contract.md, "V2 sync"). */
export const SHAPES = {
  Syndicats: {
    IdentifiantExterne: { kind: 'identifier' },
    Nom: { kind: 'text', max: 255, required: true },
    Employeurs: { kind: 'list' },
  },
  Employeurs: {
    IdentifiantExterne: { kind: 'identifier' },
    Nom: { kind: 'text', max: 255, required: true },
  },
  Employes: {
    IdExterne: { kind: 'identifier' },
    Prenom: { kind: 'text', max: 255, required: true },
    Nom: { kind: 'text', max: 255, required: true },
    NoMembre: { kind: 'text', max: 255 },
    Courriel: { kind: 'email' },
    TelephonePrincipal: { kind: 'text', max: 50 },
    Adresse1: { kind: 'text', max: 255 },
    Ville: { kind: 'text', max: 255 },
    Province: { kind: 'text', max: 50 },
    CodePostal: { kind: 'text', max: 20 },
    ValeursChampUtilisateur: { kind: 'list', max: 1_000 },
    Emplois: { kind: 'list', max: 1_000 },
    Adhesions: { kind: 'list', max: 1_000 },
  },
  Emplois: {
    IdentifiantExterne: { kind: 'identifier' },
    IdentifiantExterneEmployeur: { kind: 'identifier' },
    Matricule: { kind: 'text', max: 255, required: true },
    DateDebut: { kind: 'date' },
    DateFin: { kind: 'date' },
  },
  Adhesions: {
    SyndicatIdExterne: { kind: 'identifier' },
    DateAdhesion: { kind: 'date', required: true },
    DateFin: { kind: 'date' },
  },
  ObjetsConsentement: {
    IdExterne: { kind: 'identifier' },
    Nom: { kind: 'text', max: 255, required: true },
  },
  ValeursChampUtilisateur: {
    NomChamp: { kind: 'identifier' },
    Valeur: { kind: 'text', max: 10_000 },
  },
} as const satisfies Record<Kind | 'ValeursChampUtilisateur', Record<string, Shape>>;
export type Place = keyof typeof SHAPES;
export const PLACES = Object.keys(SHAPES) as Place[];

/** The property that identifies a record of each kind. */
export const IDENTIFIERS: Record<Place, string> = {
  Syndicats: 'IdentifiantExterne',
  Employeurs: 'IdentifiantExterne',
  Employes: 'IdExterne',
  Emplois: 'IdentifiantExterne',
  Adhesions: 'SyndicatIdExterne',
  ObjetsConsentement: 'IdExterne',
  ValeursChampUtilisateur: 'NomChamp',
};

/** Values that every property rejects. */
const NEVER: readonly unknown[] = [
  ...[0, -1, 1.5, 1e300, true, false],
  ...[{}, { a: 1 }, { length: 3 }, { toString: 'x' }, { ['__proto__']: { admin: true } }],
];
/** Values that every property rejects, except lists. */
const NO_TEXT: readonly unknown[] = [
  [],
  ['x'],
  [null],
  '\u0000',
  'a\u0000b',
  '\ud83d',
  'a\udc00b',
  '\udc00\ud83d',
];
const NO_DATE: readonly unknown[] = [
  ...['x', '😀', '0', '1767225600', 'null', 'today', 'Infinity', '2026', '2026-01', '20260131', '26-01-31'],
  ...['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '2026-01-31T24:00:00Z', '2026-01-31T10:60:00Z'],
  ...[
    '2026-01-31T10:00:00',
    '2026-01-31 10:00:00Z',
    '31/01/2026',
    '2026-W05',
    '-2026-01-31',
    '+002026-01-31',
  ],
  ...['10000-01-01', '0000-01-01', '2026-01-31T10:00:00+25:00', '2026-01-31Z', 'x'.repeat(10_000)],
];

/** Returns values that a property of this shape must reject. */
export function badValues(shape: Shape): unknown[] {
  const missing = [null, '', ' \t\n', '\u2028\ufeff'];
  const tooLong = (max: number): unknown[] => [
    'x'.repeat(max + 1),
    '😀'.repeat(max + 1),
    'é '.repeat(10_000),
  ];
  switch (shape.kind) {
    case 'identifier':
      return [...NEVER, ...NO_TEXT, ...missing, ...tooLong(255)];
    case 'text':
      return [...NEVER, ...NO_TEXT, ...(shape.required ? missing : []), ...tooLong(shape.max)];
    case 'email':
      return [...NEVER, ...NO_TEXT, 'nobody', '@', 'a@b', 'a b@example.org', ...tooLong(254)];
    case 'date':
      return [...NEVER, ...NO_TEXT, ...NO_DATE, ...(shape.required ? missing : [])];
    case 'list':
      return [
        ...[...NEVER, 'x', '[]', '\u0000'],
        ...(shape.max === undefined ? [] : [Array.from({ length: shape.max + 1 }, () => null)]),
      ];
  }
}

/** Returns odd values that a property of this shape accepts; those of an identifier must be unique. */
export function oddValues(shape: Shape): unknown[] {
  switch (shape.kind) {
    case 'identifier':
      return [];
    case 'text':
      return [
        ...[
          '😀',
          '😀'.repeat(shape.max),
          '👩‍👧',
          'e\u0301',
          '__proto__',
          'null',
          '\\N',
          '\\.',
          'a\tb\nc',
          `'"`,
          '{}',
        ],
        ...(shape.required ? [] : [null, '', ' ']),
      ];
    case 'email':
      return ['zoé@exemple.québec', "o'brien+x@example.org", null, ''];
    case 'date':
      return [
        ...['2026-01-31', '0001-01-01', '9999-12-31T23:59:59.999Z', '2024-02-29t00:00:00z'],
        ...['2026-01-31T10:00:00.123456789-05:00', ...(shape.required ? [] : [null, ''])],
      ];
    case 'list':
      return [null, []];
  }
}

/** Unknown property names. */
export const UNKNOWN_NAMES = [
  ...[
    'Inconnu',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '',
    ' ',
    '😀',
    '\u0000',
  ],
  ...['\ud83d', 'tenant_id', 'IDEXTERNE', 'NOM', 'x'.repeat(10_000), 'a/b~c'],
];

/** Values that are sent in place of a record and are no record. */
export const NO_RECORDS: readonly unknown[] = [null, 0, -1.5, true, false, '', 'E-1', '😀', [], [{}], [[[]]]];

/** Returns a copy of a record with one property set, whatever its name. */
export function withProperty(record: Loose, name: string, value: unknown): Loose {
  return Object.defineProperty({ ...record }, name, {
    value,
    ...{ enumerable: true, configurable: true, writable: true },
  });
}

/** A way to make a record invalid. */
export interface Spoil {
  readonly name: string;
  readonly apply: (record: Loose) => unknown;
}

/** Returns every way to make a record of a kind invalid; properties in `kept` are unchanged. */
export function spoils(place: Place, kept: readonly string[] = []): Spoil[] {
  const shapes = Object.entries(SHAPES[place] as Record<string, Shape>).filter(
    ([name]) => !kept.includes(name),
  );
  const short = (value: unknown): string => JSON.stringify(value).slice(0, 40);
  return [
    ...shapes.flatMap(([name, shape]) =>
      badValues(shape).map((value) => ({
        name: `${name} ${short(value)}`,
        apply: (record: Loose) => withProperty(record, name, value),
      })),
    ),
    ...shapes
      .filter(([, shape]) => shape.kind === 'identifier' || ('required' in shape && shape.required))
      .map(([name]) => ({
        name: `without ${name}`,
        apply: (record: Loose) =>
          Object.fromEntries(Object.entries(record).filter(([property]) => property !== name)),
      })),
    ...shapes.map(([name]) => ({
      name: `${name} in both casings`,
      apply: (record: Loose) => ({
        ...record,
        [name.charAt(0).toLowerCase() + name.slice(1)]: record[name] ?? null,
        [name]: record[name] ?? null,
      }),
    })),
    ...UNKNOWN_NAMES.map((name) => ({
      name: `unknown ${short(name)}`,
      apply: (record: Loose) => withProperty(record, name, 1),
    })),
    ...(kept.length > 0
      ? []
      : NO_RECORDS.map((value) => ({ name: `record ${short(value)}`, apply: () => value }))),
  ];
}

/** Returns the identifier in the error of an invalid record, "" without one (docs/contract.md, "V2 result"). */
export function idOf(place: Place, record: unknown): string {
  if (typeof record !== 'object' || record === null) return '';
  const name = IDENTIFIERS[place];
  const fields = record as Loose;
  const sent = fields[name.charAt(0).toLowerCase() + name.slice(1)] ?? fields[name];
  return typeof sent === 'string' || typeof sent === 'number' ? String(sent).toWellFormed().trim() : '';
}

/** Valid records; the union SYN, the employer EMP and the text field T must exist. */
export const SOUND: Record<Place, (id: string) => Loose> = {
  Syndicats: (id) => union(id),
  Employeurs: (id) => employer(id),
  Employes: (id) => employee(id),
  Emplois: (id) => ({ IdentifiantExterne: id, IdentifiantExterneEmployeur: 'EMP', Matricule: 'M' }),
  Adhesions: (id) => membership(id),
  ObjetsConsentement: (id) => ({ IdExterne: id, Nom: 'Objet' }),
  ValeursChampUtilisateur: () => ({ NomChamp: 'T', Valeur: 't' }),
};

/** Generates any JSON with the property names of records, like a confused caller. */
export function confusedRecord(place: Place): fc.Arbitrary<unknown> {
  const names = [...Object.keys(SHAPES[place]), ...UNKNOWN_NAMES];
  const texts = fc.constantFrom('SYN', 'EMP', 'T', 'E-1', '2026-01-31', 'x');
  const value = fc.oneof(texts, fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }));
  const spelled = fc
    .tuple(fc.constantFrom(...names), fc.boolean())
    .map(([name, lower]) => (lower ? name.charAt(0).toLowerCase() + name.slice(1) : name));
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...NO_RECORDS) },
    {
      weight: 6,
      arbitrary: fc
        .array(fc.tuple(spelled, value), { maxLength: 8 })
        .map((entries) =>
          entries.reduce<Loose>(
            (record, [name, one]) => withProperty(record, name, one),
            SOUND[place]('SYN'),
          ),
        ),
    },
  );
}
