import type { Text } from '../errors/text';

interface Described {
  /** A request must have a value. */
  readonly required?: boolean;
  /** Description for the OpenAPI document. */
  readonly description: string;
  /** Description in answers, if it differs. */
  readonly shown?: string;
  /** An optional field of a change: if absent, the stored value stays, and null is rejected. */
  readonly neverNull?: boolean;
  /** Answers always hold a value, though a request may leave the field out. */
  readonly always?: boolean;
  /** Names under which callers know it, from V1 or from responses: their error says `renamed`. */
  readonly renames?: readonly string[];
}

/** Text: in NFC, trimmed, without U+0000 and lone surrogates (characters.ts); lengths count characters (code points). */
export interface TextField extends Described {
  readonly kind: 'text';
  readonly max: number;
  /** `currency`: a code of ISO 4217 in capital letters; `html`: HTML within the limits of html-limits.ts. */
  readonly format?: 'email' | 'uuid' | 'currency' | 'html';
  /** An external identifier, in which nothing invisible is written. */
  readonly isIdentifier?: true;
  /** A name of stored data, perhaps stored under former rules: each text that can be stored is accepted, as in a path. */
  readonly isStored?: true;
  /** How values of other types are written as this text; the fault of another type says it. */
  readonly asText?: Text;
  readonly example?: string | null;
}
export interface IntegerField extends Described {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  readonly example?: number;
}
/** An exact decimal number above 0, sent as a number or as text. It is read as text, which loses no digit. */
export interface DecimalField extends Described {
  readonly kind: 'decimal';
  readonly max: number;
  /** 0 is allowed, too. */
  readonly orZero?: true;
  /** The most digits after the point. */
  readonly decimals: number;
  readonly example?: number;
}
export interface BooleanField extends Described {
  readonly kind: 'boolean';
  readonly example?: boolean;
}
/** ISO 8601 with `Z` or an offset, or a date alone (00:00 UTC), in the years 1 to 9999; read as a Date. */
export interface DateField extends Described {
  readonly kind: 'date';
  /** The time of a past event: at most `MOST_MINUTES_AHEAD`, because clocks differ. */
  readonly notAhead?: true;
  readonly example?: string;
}
/** A word of a closed list. */
export interface ChoiceField extends Described {
  readonly kind: 'choice';
  readonly values: readonly string[];
  readonly example?: string;
}
/** A list of words of a closed list, without doubles. */
export interface ChoicesField extends Described {
  readonly kind: 'choices';
  readonly values: readonly string[];
  readonly example?: readonly string[];
}
/** A list of texts without doubles, each of 1 to `length` characters. */
export interface TextsField extends Described {
  readonly kind: 'texts';
  readonly max: number;
  readonly length: number;
  /** Each of them. */
  readonly format?: 'uuid';
  /** A text may be there more than once. */
  readonly mayRepeat?: true;
  readonly example?: readonly string[];
}
/** A nested record. */
export interface RecordField extends Described {
  readonly kind: 'record';
  readonly of: RecordDefinition;
}
/** A list of nested records, all of them checked with the record. */
export interface RecordsField extends Described {
  readonly kind: 'records';
  readonly of: RecordDefinition;
  readonly max: number;
}
/** A list of records whose elements are checked one by one where they are used (a sync), not here. */
export interface RowsField extends Described {
  readonly kind: 'rows';
  /** Most elements, where the record itself limits them. */
  readonly max?: number;
}
/** A field of responses that requests may send back. It is accepted and ignored (docs/contract.md, "Unknown names"). */
export interface ReadOnlyField extends Described {
  readonly kind: 'readOnly';
  /** Set if reads return a list of objects. */
  readonly isList?: true;
  /** Type that reads return, if it is not text. */
  readonly type?: 'boolean' | 'integer' | 'number';
  /** Format of the text that reads return. */
  readonly format?: 'uuid' | 'date-time';
  readonly required?: false;
  readonly example?: string | boolean | number | null;
  /** A property by which an element shows that it is meant as a write, which is refused with this detail. */
  readonly writeShape?: { readonly property: string; readonly detail: Text };
}

export type Field =
  | TextField
  | IntegerField
  | DecimalField
  | BooleanField
  | DateField
  | ChoiceField
  | ChoicesField
  | TextsField
  | RecordField
  | RecordsField
  | RowsField
  | ReadOnlyField;

/**
 * The fields of a record by their wire names: the one place for names, limits and descriptions. Single writes
 * (class-validator), bulk writes (JSON Schema) and the OpenAPI document are all made from it.
 */
export type RecordDefinition = Readonly<Record<string, Field>>;

type ValueOf<F> = F extends { kind: 'text' | 'decimal' }
  ? string
  : F extends { kind: 'choice'; values: readonly (infer V)[] }
    ? V
    : F extends { kind: 'choices'; values: readonly (infer V)[] }
      ? V[]
      : F extends { kind: 'integer' }
        ? number
        : F extends { kind: 'boolean' }
          ? boolean
          : F extends { kind: 'date' }
            ? Date
            : F extends { kind: 'texts' }
              ? string[]
              : F extends { kind: 'rows' }
                ? Iterable<unknown>
                : F extends { kind: 'record'; of: infer R }
                  ? RecordOf<R>
                  : F extends { kind: 'records'; of: infer R }
                    ? RecordOf<R>[]
                    : never;

type Writable<D> = { [K in keyof D as D[K] extends { kind: 'readOnly' } ? never : K]: D[K] };

/** The values of a checked record: required fields present, others perhaps absent or null. */
export type RecordOf<D> = {
  [K in keyof Writable<D> as D[K] extends { required: true } ? K : never]: ValueOf<D[K]>;
} & {
  [K in keyof Writable<D> as D[K] extends { required: true } ? never : K]?:
    ValueOf<D[K]> | (D[K] extends { neverNull: true } ? never : null);
};

type ShownValue<F> = F extends
  { kind: 'decimal' | 'integer' } | { kind: 'readOnly'; type: 'integer' | 'number' }
  ? number
  : F extends { kind: 'boolean' } | { kind: 'readOnly'; type: 'boolean' }
    ? boolean
    : F extends { kind: 'choices' | 'texts' }
      ? string[]
      : F extends { kind: 'record' | 'records' | 'rows' } | { isList: true }
        ? unknown
        : string;

/** The values of a record in an answer: all are present, those that may be missing are null. */
export type ShownOf<D> = {
  [K in keyof D]: D[K] extends { required: true } | { always: true }
    ? ShownValue<D[K]>
    : ShownValue<D[K]> | null;
};

/** An external identifier: 1 to 255 characters, case-sensitive. */
export function identifier<const O extends Omit<TextField, 'kind' | 'max' | 'isIdentifier'>>(options: O) {
  return { kind: 'text', max: 255, isIdentifier: true, ...options } as const;
}

/** Text of at most `max` characters. */
export function text<const M extends number, const O extends Omit<TextField, 'kind' | 'max'>>(
  max: M,
  options: O,
) {
  return { kind: 'text', max, ...options } as const;
}

/** A property that reads return and writes ignore. */
export function readOnly<E extends string | null>(description: string, example: E) {
  return { kind: 'readOnly', description, example } as const;
}

/** Returns a read-only field of another type than text. */
export function readOnlyOf<T extends 'boolean' | 'integer' | 'number'>(
  type: T,
  description: string,
  example: boolean | number | null,
) {
  return { kind: 'readOnly', type, description, example } as const;
}

/** A property that the service gives each record: reads always return a value. */
export function given(description: string, example: string) {
  return { ...readOnly(description, example), always: true } as const;
}

/** Returns a given field of another type than text. */
export function givenOf<T extends 'boolean' | 'integer' | 'number'>(
  type: T,
  description: string,
  example: boolean | number,
) {
  return { ...readOnlyOf(type, description, example), always: true } as const;
}

/** An identifier (GUID) that the service gives each record. */
export function givenId(description: string, example: string) {
  return { ...given(description, example), format: 'uuid' } as const;
}

/** A time that the service notes for each record. */
export function givenTime(description: string, example: string) {
  return { ...given(description, example), format: 'date-time' } as const;
}

/** Returns the fields, each with a value in every answer. */
export function always<D extends RecordDefinition>(definition: D) {
  const all = Object.entries(definition).map(([name, field]) => [name, { ...field, always: true }]);
  return Object.fromEntries(all) as { [K in keyof D]: D[K] & { readonly always: true } };
}

/** Returns the fields, which a change may omit but not clear. */
export function neverNull<D extends RecordDefinition>(definition: D) {
  const all = Object.entries(definition).map(([name, field]) => [name, { ...field, neverNull: true }]);
  return Object.fromEntries(all) as { [K in keyof D]: D[K] & { readonly neverNull: true } };
}

/** Some fields of a definition, in the order of the names. */
export function pick<D extends RecordDefinition, K extends keyof D>(definition: D, ...names: K[]) {
  return Object.fromEntries(names.map((name) => [name, definition[name]])) as Pick<D, K>;
}

/** All fields of a definition but some. */
export function omit<D extends object, K extends keyof D>(definition: D, ...names: K[]) {
  const left = Object.entries(definition).filter(([name]) => !names.includes(name as K));
  return Object.fromEntries(left) as Omit<D, K>;
}

export function namesOf<D extends RecordDefinition>(definition: D) {
  return Object.keys(definition) as (keyof D & string)[];
}

/** The fields under names that begin with a capital letter, as V2 requests have them. */
export function capitalized<D extends RecordDefinition>(definition: D) {
  return renamed(definition, (first) => first.toUpperCase()) as {
    [K in keyof D as K extends string ? Capitalize<K> : never]: D[K];
  };
}

/** The fields of a V2 request under the names of V2 responses, which begin with a small letter. */
export function uncapitalized<D extends RecordDefinition>(definition: D) {
  return renamed(definition, (first) => first.toLowerCase()) as {
    [K in keyof D as K extends string ? Uncapitalize<K> : never]: D[K];
  };
}

function renamed(definition: RecordDefinition, rename: (first: string) => string): RecordDefinition {
  return Object.fromEntries(
    Object.entries(definition).map(([name, field]) => [rename(name.charAt(0)) + name.slice(1), field]),
  );
}

/** The value of a field of the kind `rows`, if it is still to be walked. */
export abstract class Rows {
  abstract readonly length: number;
  abstract [Symbol.iterator](): Iterator<unknown>;
}

/** The column of a property: `derniereMAJ` → `derniere_maj`. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
