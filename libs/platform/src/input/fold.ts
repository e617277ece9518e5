import { type InputFault, isFull } from '../errors/domain-error';
import { composed, hasVisible, textFault, writtenFault } from './characters';
import { atMostCharacters, describeFault, hasAtMost, isGuid, NO_GUID, NO_OBJECT, NO_TEXT } from './faults';
import { type Field, type RecordDefinition, type RecordsField, Rows, type TextsField } from './field';
import { nearestName } from './nearest-name';
import { readValue } from './read-value';
import { fr, type Text } from '../errors/text';

/**
 * Where a value came from: a body, a query string (its values are text and are turned into the field's type), or one of
 * many records of a bulk write (its faults are described briefly).
 */
export type Source = 'body' | 'query' | 'bulk';

export const UNKNOWN_PARAMETER: Text = {
  en: 'is not a parameter of this operation',
  fr: fr("n'est pas un paramètre de cette opération"),
};
export const UNKNOWN_PROPERTY: Text = {
  en: 'is not a property of this record',
  fr: fr("n'est pas une propriété de cet enregistrement"),
};
const TWO_CASINGS: Text = {
  en: 'is sent twice, in two casings; send it once',
  fr: fr('figure deux fois, avec deux casses; envoyez-le une seule fois'),
};
const EMPTY_PARAMETER: Text = {
  en: 'is empty; give a value or leave the parameter out',
  fr: fr('est vide; donnez une valeur ou omettez le paramètre'),
};
const REPEATED_PARAMETER: Text = {
  en: 'is given more than once; give it once',
  fr: fr("figure plus d'une fois; donnez-le une seule fois"),
};
const EMPTY_TEXT: Text = { en: 'must not be empty', fr: fr('ne doit pas être vide') };

/** Replaces an object or a list where the field holds neither: no later check accepts it or walks what it held. */
const MISPLACED = Symbol('misplaced');

interface Slot {
  readonly name: string;
  readonly field: Field;
}

const slotsByDefinition = new WeakMap<RecordDefinition, Map<string, Slot>>();

/** Both spellings of each name: the first letter's case is ignored in bodies (docs/contract.md, "Casing"). */
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
 * Brings a sent object to the form of its definition: names in their documented casing, nothing unknown, read-only
 * properties dropped. Values of a bulk write are read, too; class-transformer reads those of a request class.
 *
 * @param faults receives unknown properties, properties sent in both casings, and values that cannot be read; reading
 * stops where it is full
 * @returns a new object with documented names only, as deep as the definition at most
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
    if (isFull(faults)) break;
    const slot = source === 'query' && !Object.hasOwn(definition, key) ? undefined : slots.get(key);
    // Made for a fault or a nested record only: bulk writes come here for every property of every record.
    const at = (): string => (source === 'query' ? `?${printable(key)}` : `${pointer}/${pointerToken(key)}`);
    if (!slot) {
      const isFirst = !faults.some(({ code }) => code === 'unknown');
      faults.push({
        pointer: at(),
        code: 'unknown',
        detail: unknownDetail(key, source, definition, isFirst),
      });
    } else if (Object.hasOwn(folded, slot.name) || ignored?.has(slot.name)) {
      faults.push({
        pointer: at(),
        code: 'duplicate',
        detail: TWO_CASINGS,
      });
    } else if (slot.field.kind === 'readOnly') {
      (ignored ??= new Set()).add(slot.name);
      const { writeShape } = slot.field;
      if (writeShape && hasElementWith(sent[key as keyof typeof sent], writeShape.property))
        faults.push({ pointer: at(), code: 'readOnly', detail: writeShape.detail });
    } else {
      const value = foldValue((sent as Record<string, unknown>)[key], slot.field, source, at, faults);
      folded[slot.name] = source === 'bulk' ? readValue(value, slot.field) : value;
    }
  }
  return folded;
}

function foldValue(
  sent: unknown,
  field: Field,
  source: Source,
  at: () => string,
  faults: InputFault[],
): unknown {
  const value = typeof sent === 'string' ? composed(sent) : readTexts(sent, field);
  const fault = (code: string, detail: Text): undefined => {
    faults.push({ pointer: at(), code, detail });
  };
  if (typeof value === 'string') {
    if (source !== 'query') {
      const unfit = writtenFault(value, field);
      return unfit ? fault(unfit.code, unfit.detail) : value;
    }
    const unstorable = textFault(value);
    if (unstorable) return fault('characters', unstorable);
    const text = value.trim();
    // An empty filter would return all records.
    if (text === '') return fault('required', EMPTY_PARAMETER);
    return coerce(text, field);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (source === 'query') return fault('duplicate', REPEATED_PARAMETER);
  if (isPlainObject(value)) {
    return field.kind === 'record' ? foldRecord(value, field.of, source, at(), faults) : MISPLACED;
  }
  if (field.kind === 'rows') return value;
  if (!Array.isArray(value)) return MISPLACED;
  switch (field.kind) {
    case 'record':
      return fault('type', describeFault(field, 'type'));
    case 'records':
    case 'texts':
      // A list that is too long is reported and not walked.
      if (value.length > field.max) {
        fault('length', describeFault(field, 'length'));
        return [];
      }
      return field.kind === 'records'
        ? foldList(value, field, source, at(), faults)
        : foldTexts(value, field, at(), faults);
    case 'choices':
      // One more than there are words is wrong already: one of them is a double, or no word of the field.
      return value
        .slice(0, field.values.length + 1)
        .map((element: unknown) => (typeof element === 'object' ? MISPLACED : element));
    default:
      return MISPLACED;
  }
}

/** A bulk body leaves its lists unread. Returns a list of texts with its elements, at most one too many. */
const readTexts = (sent: unknown, field: Field): unknown =>
  field.kind === 'texts' && sent instanceof Rows ? [...Iterator.from(sent).take(field.max + 1)] : sent;

/** Elements that are no objects are reported. Those behind the last fault that is listed are not read. */
function foldList(
  sent: readonly unknown[],
  field: RecordsField,
  source: Source,
  pointer: string,
  faults: InputFault[],
): unknown[] {
  const folded: unknown[] = [];
  for (const [index, element] of sent.entries()) {
    if (isFull(faults)) break;
    const at = `${pointer}/${index}`;
    const isObject = isPlainObject(element);
    if (!isObject) faults.push({ pointer: at, code: 'type', detail: NO_OBJECT });
    // A value that is not an object keeps its index, for the pointers of later elements.
    folded.push(isObject ? foldRecord(element, field.of, source, at, faults) : undefined);
  }
  return folded;
}

/**
 * Trims each text. Elements that are no text, empty, too long or impossible to store are reported and not kept, nor are
 * those behind the last fault that is listed.
 */
function foldTexts(
  sent: readonly unknown[],
  field: TextsField,
  pointer: string,
  faults: InputFault[],
): string[] {
  const texts: string[] = [];
  for (const [index, element] of sent.entries()) {
    if (isFull(faults)) break;
    const fault = (code: string, detail: Text): unknown =>
      faults.push({ pointer: `${pointer}/${index}`, code, detail });
    if (typeof element !== 'string') {
      fault('type', NO_TEXT);
      continue;
    }
    const text = composed(element).trim();
    const unfit = writtenFault(text, field);
    if (unfit) fault(unfit.code, unfit.detail);
    else if (!hasVisible(text)) fault('required', EMPTY_TEXT);
    else if (!hasAtMost(text, field.length)) fault('length', atMostCharacters(field.length));
    else if (field.format !== 'uuid') texts.push(text);
    else if (isGuid(text)) texts.push(text.toLowerCase());
    else fault('uuid', NO_GUID);
  }
  return texts;
}

/** The value of a parameter as a body would hold it; text that is none of the field's type stays text. */
function coerce(text: string, field: Field): unknown {
  switch (field.kind) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'date':
      // An unescaped `+` of an offset arrives as a space.
      return text.replace(/ (\d\d:?\d\d)$/, '+$1');
    default:
      return text;
  }
}

/** Whether a value, or an element of it, has a property, in one of the two casings. */
function hasElementWith(sent: unknown, property: string): boolean {
  const names = [property.charAt(0).toLowerCase(), property.charAt(0).toUpperCase()].map(
    (first) => first + property.slice(1),
  );
  return [sent].flat().some((one) => isPlainObject(one) && names.some((name) => Object.hasOwn(one, name)));
}

/** An object as JSON or a query string makes it: neither a list, read or unread, nor an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Gives the nearest name, and lists the names of the definition once in a response or record. */
function unknownDetail(sent: string, source: Source, definition: RecordDefinition, isFirst: boolean): Text {
  const what = source === 'query' ? UNKNOWN_PARAMETER : UNKNOWN_PROPERTY;
  const names = Object.keys(definition).filter((name) => definition[name]!.kind !== 'readOnly');
  if (names.length === 0) {
    return source === 'query' && isFirst
      ? { en: `${what.en}; it takes none`, fr: fr`${what.fr}; elle n'en prend aucun` }
      : what;
  }
  const renamed = names.find((name) => definition[name]!.renames?.includes(sent));
  // It says all that is needed.
  if (renamed !== undefined)
    return { en: `${what.en}; renamed: ${renamed}`, fr: fr`${what.fr}; nouveau nom : ${renamed}` };
  const nearest = nearestName(printable(sent), names);
  const detail =
    nearest === undefined
      ? what
      : {
          en: `${what.en}; nearest is ${nearest}`,
          fr: fr`${what.fr}; le nom le plus proche est ${nearest}`,
        };
  if (!isFirst) return detail;
  const known = names.join(', ');
  return { en: `${detail.en}; known are ${known}`, fr: fr`${detail.fr}; les noms connus sont ${known}` };
}

/** Names come from the caller and are echoed: kept short and storable. */
export function printable(name: string): string {
  return name.slice(0, 100).toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** A name as a part of a JSON pointer. */
export function pointerToken(name: string): string {
  return printable(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
