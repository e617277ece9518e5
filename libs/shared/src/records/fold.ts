import { type InputFault } from '../errors/domain-error';
import { describeFault, hasAtMost, isGuid } from './faults';
import { type Field, type RecordDefinition, type RecordsField, type TextsField } from './field';
import { parseDate } from '../time/wire-date';

/**
 * Where a value came from: a body, a query string (its values are text and are turned into the field's type), or one of
 * many records of a bulk write (its faults are told briefly).
 */
export type Source = 'body' | 'query' | 'bulk';

/** Faults of one record of a bulk write that are looked for. */
const MOST_BULK_FAULTS = 100;

interface Slot {
  readonly name: string;
  readonly field: Field;
}

const slotsByDefinition = new WeakMap<RecordDefinition, Map<string, Slot>>();

/** Both spellings of each name: the first letter's case is ignored in bodies (decisions, section 3). */
function slotsOf(definition: RecordDefinition): Map<string, Slot> {
  let slots = slotsByDefinition.get(definition);
  if (!slots) {
    slots = new Map();
    for (const [name, field] of Object.entries(definition)) {
      const first = name.charAt(0);
      const slot = { name, field };
      slots.set(first.toLowerCase() + name.slice(1), slot);
      slots.set(first.toUpperCase() + name.slice(1), slot);
    }
    slotsByDefinition.set(definition, slots);
  }
  return slots;
}

/**
 * Brings a sent object to the record's own form, before its values are checked: names in their documented casing,
 * text trimmed (empty becomes null), dates read, read-only properties dropped.
 *
 * @param faults receives unknown properties, properties sent in both casings, and text that cannot be stored
 * @returns a new object with documented names only; it does not share nested objects with `sent`
 */
export function foldRecord(
  sent: object,
  definition: RecordDefinition,
  source: Source,
  pointer: string,
  faults: InputFault[],
): Record<string, unknown> {
  const slots = slotsOf(definition);
  const folded: Record<string, unknown> = {};
  let ignored: Set<string> | undefined;
  for (const key of Object.keys(sent)) {
    // What a bulk write tells of one record is cut; a record of nothing but faults must not cost more than others.
    if (source === 'bulk' && faults.length >= MOST_BULK_FAULTS) break;
    const slot = source === 'query' && !Object.hasOwn(definition, key) ? undefined : slots.get(key);
    // Made for a fault only: bulk writes come here for every property of every record.
    const fault = (code: string, detail: string): void => {
      const at = source === 'query' ? `?${printable(key)}` : `${pointer}/${pointerToken(key)}`;
      faults.push({ pointer: at, code, detail });
    };
    if (!slot) {
      const isFirst = !faults.some(({ code }) => code === 'unknown');
      fault('unknown', unknownDetail(source, definition, isFirst));
    } else if (Object.hasOwn(folded, slot.name) || ignored?.has(slot.name)) {
      fault('duplicate', 'is sent twice, in two casings; send it once');
    } else if (slot.field.kind === 'readOnly') {
      (ignored ??= new Set()).add(slot.name);
    } else {
      const value = (sent as Record<string, unknown>)[key];
      const at = (): string => `${pointer}/${pointerToken(key)}`;
      folded[slot.name] =
        slot.field.kind === 'record' && isPlainObject(value)
          ? foldRecord(value, slot.field.of, source, at(), faults)
          : slot.field.kind === 'records' && Array.isArray(value)
            ? foldList(value, slot.field, source, at(), faults)
            : slot.field.kind === 'texts' && Array.isArray(value)
              ? foldTexts(value, slot.field, at(), faults)
              : foldValue(value, slot.field, source, fault);
    }
  }
  return folded;
}

/**
 * A list that is too long, and elements that are no objects, are named here and not kept: the check that follows would
 * walk whatever they hold, however deep.
 */
function foldList(
  sent: readonly unknown[],
  field: RecordsField,
  source: Source,
  pointer: string,
  faults: InputFault[],
): unknown[] {
  if (sent.length > field.max) {
    faults.push({ pointer, code: 'length', detail: describeFault(field, 'length') });
    return [];
  }
  return sent.map((element, index) => {
    const at = `${pointer}/${index}`;
    if (isPlainObject(element)) return foldRecord(element, field.of, source, at, faults);
    faults.push({ pointer: at, code: 'type', detail: 'must be an object' });
    return undefined;
  });
}

/** Each text trimmed; those that are none, empty, too long or impossible to store are named and not kept. */
function foldTexts(
  sent: readonly unknown[],
  field: TextsField,
  pointer: string,
  faults: InputFault[],
): string[] {
  if (sent.length > field.max) {
    faults.push({ pointer, code: 'length', detail: describeFault(field, 'length') });
    return [];
  }
  return sent.flatMap((element, index) => {
    const fault = (code: string, detail: string): never[] => {
      faults.push({ pointer: `${pointer}/${index}`, code, detail });
      return [];
    };
    if (typeof element !== 'string') return fault('type', 'must be text');
    const unstorable = textFault(element);
    if (unstorable) return fault('characters', unstorable);
    const text = element.trim();
    if (text === '') return fault('required', 'must not be empty');
    if (!hasAtMost(text, field.length))
      return fault('length', `must have at most ${field.length} characters`);
    if (field.format !== 'uuid') return [text];
    return isGuid(text) ? [text.toLowerCase()] : fault('uuid', 'must be a GUID');
  });
}

type Report = (code: string, detail: string) => void;

function foldValue(value: unknown, field: Field, source: Source, fault: Report): unknown {
  if (source === 'query' && Array.isArray(value)) {
    fault('duplicate', 'is given more than once; give it once');
    return undefined;
  }
  if (field.kind === 'record' && Array.isArray(value)) {
    fault('type', describeFault(field, 'type'));
    return undefined;
  }
  if (field.kind === 'decimal' && typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  const unstorable = textFault(value);
  if (unstorable) {
    fault('characters', unstorable);
    return undefined;
  }
  const trimmed = value.trim();
  if (source === 'query') return coerce(trimmed, field, fault);
  if (trimmed === '') return null;
  // GUIDs compare as text here and there.
  if (field.kind === 'text' && field.format === 'uuid') return trimmed.toLowerCase();
  // A date that cannot be read stays text, and the check that follows names the fault.
  return field.kind === 'date' ? (parseDate(trimmed) ?? trimmed) : trimmed;
}

function coerce(text: string, field: Field, fault: Report): unknown {
  if (text === '') {
    // An empty filter would answer everybody's data.
    fault('required', 'is empty; give a value or leave the parameter out');
    return undefined;
  }
  switch (field.kind) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'date':
      // An unescaped `+` of an offset arrives as a space.
      return parseDate(text.replace(/ (\d\d:?\d\d)$/, '+$1')) ?? text;
    default:
      return text;
  }
}

/** What makes a text impossible to store or to send back, or undefined. */
export function textFault(value: string): string | undefined {
  if (value.includes('\u0000')) return 'must not contain the character U+0000';
  if (!value.isWellFormed()) return 'must not contain half of a surrogate pair';
  return undefined;
}

/** An object as JSON or a query string makes it: neither a list, read or unread, nor an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What is known is told once in an answer, and not in the many of a bulk write. */
function unknownDetail(source: Source, definition: RecordDefinition, isFirst: boolean): string {
  const names = Object.entries(definition).flatMap(([name, field]) =>
    field.kind === 'readOnly' ? [] : [name],
  );
  const known = isFirst && source !== 'bulk' && names.length > 0 ? `; known are ${names.join(', ')}` : '';
  if (source !== 'query') return `is not a property of this record${known}`;
  return `is not a parameter of this operation${names.length ? known : '; it takes none'}`;
}

/** Names come from the caller and are echoed: kept short and storable. */
function printable(name: string): string {
  return name.toWellFormed().replaceAll('\u0000', '\uFFFD').slice(0, 100);
}

function pointerToken(name: string): string {
  return printable(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
