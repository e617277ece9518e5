import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsDefined,
  IsIn,
  IsInt,
  isISO4217CurrencyCode,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { DATE_PATTERN } from './wire-date';
import { type DecimalBounds, hasAtMost, isDecimal, isEmail, isGuid, isInTime } from './faults';
import { readValue } from './read-value';
import { isWithinHtmlLimits } from './html-limits';
import { type Field, type RecordDefinition, Rows } from './field';

const DEFINITION = Symbol('record definition');
const SHOWN = Symbol('shown properties');

/** A class whose properties carry fields. */
export type RecordClass<T extends object = object> = new () => T;

/** A rule of our own. Its name is the key of class-validator's error. */
function rule(name: string, holds: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({ name, validator: { validate: holds } });
}

/** Counts characters as the database does; class-validator's own rule leaves variation selectors out. */
const HasAtMost = (max: number) =>
  rule('maxLength', (value) => typeof value === 'string' && hasAtMost(value, max));

/** The library's own rule takes small letters, too. */
const IsCurrency = () =>
  rule('isCurrency', (value) => isISO4217CurrencyCode(value) && value === String(value).toUpperCase());

const IsDecimal = (bounds: DecimalBounds) =>
  rule('isDecimal', (value) => typeof value === 'string' && isDecimal(value, bounds));

/** The library's own rule compares each element with all before it: seconds for the 25,000 of a long list. */
const HasNoDoubles = () =>
  rule('arrayUnique', (value) => Array.isArray(value) && new Set(value).size === value.length);

/** A list of records, read already or still to be walked. */
const IsRows = () => rule('isArray', (value) => Array.isArray(value) || value instanceof Rows);

/**
 * Declares a property of a request class: how its value is read (class-transformer) and checked (class-validator), its
 * place in the record's definition and its description in the OpenAPI document, all from one field.
 *
 * @param nested the class of a field of kind `record`, or of the elements of a list
 */
export function Input(field: Field, nested?: RecordClass): PropertyDecorator {
  return applyDecorators(
    remember(DEFINITION, field),
    ApiProperty(propertyOf(field, nested)),
    ...readingOf(field, nested),
    ...checksOf(field),
  );
}

/** Adds a property to the metadata `list` of its class, after the properties of the base class. */
function remember(list: symbol, declared: Field | ApiPropertyOptions): PropertyDecorator {
  return (target, key) => {
    const own = (Reflect.getOwnMetadata(list, target) as Record<string, object> | undefined) ?? {
      ...(Reflect.getMetadata(list, target) as Record<string, object> | undefined),
    };
    own[String(key)] = declared;
    Reflect.defineMetadata(list, own, target);
  };
}

/** The definition that the properties of a request class declare; empty for a class without any. */
export function definitionOf(type: RecordClass): RecordDefinition {
  return (Reflect.getMetadata(DEFINITION, type.prototype as object) as RecordDefinition | undefined) ?? {};
}

/** Declares a property of an answer by its schema. */
export function ShownAs(schema: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(ApiProperty(schema), remember(SHOWN, schema));
}

/** The schemas of the properties that a response class declares, in their order; empty for a class without any. */
export function shownIn(type: RecordClass): Readonly<Record<string, ApiPropertyOptions>> {
  const shown: unknown = Reflect.getMetadata(SHOWN, type.prototype as object);
  return (shown as Record<string, ApiPropertyOptions> | undefined) ?? {};
}

/** Declares a property of an answer. It is always present, and null without a value unless it is always set. */
export function Shown(field: Field, nested?: RecordClass): PropertyDecorator {
  const mayBeNull = !(field.always ?? field.required);
  return ShownAs({
    ...propertyOf(field, nested, mayBeNull),
    required: true,
    description: field.shown ?? field.description,
    ...(field.kind === 'date' ? { format: 'date-time', pattern: undefined } : {}),
    ...(field.kind === 'readOnly' && field.format ? { format: field.format } : {}),
  } as ApiPropertyOptions);
}

function propertyOf(field: Field, nested?: RecordClass, nullable = isNullable(field)): ApiPropertyOptions {
  const described = { description: field.description, required: field.required ?? false };
  // Set only if true, because `nullable: false` is invalid beside a reference, which has no type.
  const orNull = nullable ? { nullable: true } : {};
  const common = { ...described, ...orNull };
  switch (field.kind) {
    case 'text':
      return {
        ...common,
        type: String,
        maxLength: field.max,
        ...(field.required ? { minLength: 1 } : {}),
        ...(field.format === 'uuid' ? { format: 'uuid' } : {}),
        // The format `email` excludes letters beyond ASCII.
        ...(field.format === 'email' ? { pattern: '^.+@[^@]+$' } : {}),
        ...exampleOf(field),
      };
    case 'integer':
      return { ...common, type: 'integer', minimum: field.min, maximum: field.max, ...exampleOf(field) };
    case 'decimal':
      return {
        ...described,
        // Null is said of one of the types: a schema of several has none of its own that could be null.
        oneOf: [
          {
            type: 'number',
            minimum: 0,
            ...(field.orZero ? {} : { exclusiveMinimum: true }),
            maximum: field.max,
            ...orNull,
          },
          { type: 'string', pattern: `^\\d{1,15}(\\.\\d{1,${field.decimals}})?$` },
        ],
        ...exampleOf(field),
      };
    case 'boolean':
      return { ...common, type: Boolean, ...exampleOf(field) };
    case 'date':
      // The format `date-time` excludes dates, and times without seconds.
      return { ...common, type: String, pattern: DATE_PATTERN, ...exampleOf(field) };
    case 'choice':
      // In an enum, null is a value like the others (OpenAPI 3.0.3).
      return {
        ...common,
        type: String,
        enum: [...field.values, ...(nullable ? [null] : [])],
        ...exampleOf(field),
      };
    case 'choices':
      return { ...common, type: String, isArray: true, enum: [...field.values], ...exampleOf(field) };
    case 'texts':
      return {
        ...common,
        type: 'array',
        items: {
          type: 'string',
          ...(field.format ? { format: field.format } : { minLength: 1, maxLength: field.length }),
        },
        maxItems: field.max,
        ...(field.mayRepeat ? {} : { uniqueItems: true }),
        ...exampleOf(field),
      };
    case 'readOnly':
      return field.isList
        ? { ...common, type: nested ?? Object, isArray: true, readOnly: true }
        : { ...common, type: field.type ?? String, readOnly: true, ...exampleOf(field) };
    case 'record':
      return { ...common, type: nested };
    case 'records':
    case 'rows':
      return { ...common, type: nested, isArray: true, ...(field.max ? { maxItems: field.max } : {}) };
  }
}

function isNullable(field: Field): boolean {
  return !field.required && !field.neverNull;
}

function exampleOf(field: Exclude<Field, { kind: 'record' | 'records' | 'rows' }>): { example?: unknown } {
  return field.example === undefined ? {} : { example: field.example };
}

function readingOf(field: Field, nested?: RecordClass): PropertyDecorator[] {
  // The records of a list that is still to be walked are checked where they are used: the list stays as it was sent.
  if (field.kind === 'rows')
    return [Transform(({ obj, key }) => readValue((obj as Record<string, unknown>)[key], field))];
  const read = Transform(({ value }) => readValue(value, field));
  return nested ? [Type(() => nested), read] : [read];
}

const FORMATS = {
  email: () => rule('isEmail', isEmail),
  uuid: () => rule('isGuid', isGuid),
  currency: IsCurrency,
  html: () => rule('isHtml', (value) => typeof value === 'string' && isWithinHtmlLimits(value)),
} as const;

function presenceOf(field: Field): PropertyDecorator[] {
  if (field.required) return [IsDefined()];
  if (isNullable(field)) return [IsOptional()];
  return [ValidateIf((_record, value) => value !== undefined), IsDefined()];
}

function checksOf(field: Field): PropertyDecorator[] {
  const presence = presenceOf(field);
  switch (field.kind) {
    case 'text': {
      const format = field.format ? [FORMATS[field.format]()] : [];
      return [...presence, IsString(), HasAtMost(field.max), ...format];
    }
    case 'decimal':
      return [...presence, IsString(), IsDecimal(field)];
    case 'integer':
      return [...presence, IsInt(), Min(field.min), Max(field.max)];
    case 'boolean':
      return [...presence, IsBoolean()];
    case 'date':
      return [
        ...presence,
        IsDate(),
        rule('isInTime', (value) => !(value instanceof Date) || isInTime(value, field)),
      ];
    case 'choice':
      return [...presence, IsString(), IsIn([...field.values])];
    case 'choices':
      return [...presence, IsArray(), HasNoDoubles(), IsIn([...field.values], { each: true })];
    case 'texts':
      return [...presence, IsArray(), ...(field.mayRepeat ? [] : [HasNoDoubles()])];
    case 'record':
      return [...presence, IsObject(), ValidateNested()];
    case 'records':
      return [...presence, IsArray(), ArrayMaxSize(field.max), ValidateNested({ each: true })];
    case 'rows':
      return [...presence, IsRows()];
    case 'readOnly':
      return [Allow()];
  }
}
