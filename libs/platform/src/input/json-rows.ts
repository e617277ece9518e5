import { Rows } from './field';
import { pointerToken } from './fold';
import { repeatedName } from './repeated-names';
import { BACKSLASH, COLON, MOST_NAMES, QUOTE, shapeFault, TOO_MANY_NAMES } from './json-shape';
import { fr, type Text } from '../errors/text';

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The bytes are not JSON, or too dear to parse; `at` is where that shows. */
export class JsonFault extends Error {
  constructor(
    at: number,
    readonly detail = notJson(at),
  ) {
    super(`JSON cannot be read at byte ${at}`);
  }
}

/** @param place the character where that shows, if it is known */
export function notJson(place: number | string | undefined): Text {
  if (place === undefined) {
    return { en: 'the body must be valid JSON', fr: fr('le corps doit être du JSON valide') };
  }
  return {
    en: `the body must be valid JSON (fault near character ${place})`,
    fr: fr`le corps doit être du JSON valide (faute près du caractère ${place})`,
  };
}

/** @param fault a sentence without subject */
export function bodyThat(fault: Text): Text {
  return { en: `the body ${fault.en}`, fr: fr`le corps ${fault.fr}` };
}

/** A list is longer, or one of its elements larger, than a reader takes. */
export class TooManyRows extends Error {}

/** An element that is refused as it is written. @param fault a sentence without subject */
export class UnfitRow {
  /** @param record the element, unless it is too dear to parse */
  constructor(
    readonly fault: Text,
    readonly record?: unknown,
  ) {}
}

/** Limits of one list. */
export interface RowLimits {
  readonly rows: number;
  /** Bytes of one element: it is parsed in one go, during which no other request is served. */
  readonly rowBytes: number;
}

/** Bytes looked at between two chances for other requests to run. */
const SCAN_BYTES = 2 * 1024 * 1024;

/**
 * A JSON array of a body whose elements are parsed one at a time, when they are asked for. A sync of 100,000 records
 * thus holds its bytes and one record, never all of them as objects, and never stops the event loop for the time that
 * parsing everything would take.
 */
export class JsonRows extends Rows implements Iterable<unknown> {
  // Not enumerable: ValidationPipe and class-transformer walk every property that they see.
  readonly #json: Buffer;
  readonly #bounds: readonly number[];

  /** @param bounds begin and end of each element, alternating */
  constructor(json: Buffer, bounds: readonly number[]) {
    super();
    this.#json = json;
    this.#bounds = bounds;
  }

  get length(): number {
    return this.#bounds.length / 2;
  }

  /** @throws JsonFault when the walk comes upon an element that is not JSON */
  *[Symbol.iterator](): Iterator<unknown> {
    for (let at = 0; at < this.#bounds.length; at += 2) {
      const [start, end] = [this.#bounds[at]!, this.#bounds[at + 1]!];
      const fault = shapeFault(this.#json, start, end);
      yield fault ? new UnfitRow(fault) : this.row(start, end);
    }
  }

  private row(start: number, end: number): unknown {
    const record = parse(this.#json, start, end);
    const twice = repeatedName(this.#json, record, start, end);
    if (twice === undefined) return record;
    const name = twice.slice(1);
    const fault = {
      en: `has ${name} twice; send it once`,
      fr: fr`contient deux fois ${name}; envoyez-le une seule fois`,
    };
    return new UnfitRow(fault, record);
  }
}

/**
 * Reads a JSON object, leaving each array directly in it unparsed as JsonRows; an array alone becomes JsonRows itself.
 * Anything else is parsed as it is. The elements of the arrays are only delimited; iterating over them checks that each is
 * JSON.
 *
 * @param json valid UTF-8
 * @param onDuplicate called with the pointer of a repeated property
 * @throws JsonFault, TooManyRows
 */
export async function parseWithRows(
  json: Buffer,
  limits: RowLimits,
  onDuplicate: (pointer: string) => void,
): Promise<unknown> {
  const first = skipSpace(json, 0);
  if (json[first] === OPEN_ARRAY) {
    const { rows, end } = await readRows(json, first, limits);
    expectEnd(json, end);
    return rows;
  }
  if (json[first] !== OPEN_OBJECT) {
    if (json.length > limits.rowBytes) throw new TooManyRows();
    return parse(json, 0, json.length);
  }
  const entries = new Map<string, unknown>();
  let at = skipSpace(json, first + 1);
  while (json[at] !== CLOSE_OBJECT) {
    if (json[at] !== QUOTE) throw new JsonFault(at);
    const nameEnd = endOfValue(json, at);
    if (entries.size === MOST_NAMES) throw new JsonFault(at, bodyThat(TOO_MANY_NAMES));
    const name = parse(json, at, nameEnd) as string;
    const pointer = `/${pointerToken(name)}`;
    if (entries.has(name)) onDuplicate(pointer);
    at = skipSpace(json, nameEnd);
    if (json[at] !== COLON) throw new JsonFault(at);
    at = skipSpace(json, at + 1);
    if (json[at] === OPEN_ARRAY) {
      const { rows, end } = await readRows(json, at, limits);
      entries.set(name, rows);
      at = skipSpace(json, end);
    } else {
      const end = endOfValue(json, at);
      if (end - at > limits.rowBytes) throw new TooManyRows();
      const fault = shapeFault(json, at, end);
      if (fault) throw new JsonFault(at, bodyThat(fault));
      const value = parse(json, at, end);
      const twice = repeatedName(json, value, at, end);
      if (twice !== undefined) onDuplicate(pointer + twice);
      entries.set(name, value);
      at = skipSpace(json, end);
    }
    if (json[at] === COMMA) {
      at = skipSpace(json, at + 1);
      if (json[at] === CLOSE_OBJECT) throw new JsonFault(at);
    } else if (json[at] !== CLOSE_OBJECT) {
      throw new JsonFault(at);
    }
  }
  expectEnd(json, at + 1);
  // fromEntries defines properties, so a name such as __proto__ is an ordinary property.
  return Object.fromEntries(entries);
}

async function readRows(
  json: Buffer,
  start: number,
  limits: RowLimits,
): Promise<{ rows: JsonRows; end: number }> {
  const bounds: number[] = [];
  let rested = start;
  let at = skipSpace(json, start + 1);
  if (json[at] === CLOSE_ARRAY) return { rows: new JsonRows(json, bounds), end: at + 1 };
  for (;;) {
    const end = endOfValue(json, at);
    if (end - at > limits.rowBytes || bounds.length === 2 * limits.rows) throw new TooManyRows();
    bounds.push(at, end);
    at = skipSpace(json, end);
    if (json[at] === CLOSE_ARRAY) return { rows: new JsonRows(json, bounds), end: at + 1 };
    if (json[at] !== COMMA) throw new JsonFault(at);
    at = skipSpace(json, at + 1);
    if (at - rested > SCAN_BYTES) {
      await new Promise(setImmediate);
      rested = at;
    }
  }
}

function expectEnd(json: Buffer, at: number): void {
  const rest = skipSpace(json, at);
  if (rest !== json.length) throw new JsonFault(rest);
}

function parse(json: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(json.toString('utf8', start, end)) as unknown;
  } catch {
    throw new JsonFault(start);
  }
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at++;
  return at;
}

/** Returns the end of the value that begins at `start`. Matches brackets only; the parser checks the JSON. */
function endOfValue(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return endOfString(json, start);
  let at = start;
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) {
    while (at < json.length && !endsScalar(json[at]!)) at++;
    if (at === start) throw new JsonFault(start);
    return at;
  }
  let depth = 0;
  while (at < json.length) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    at++;
    if (depth === 0) return at;
  }
  throw new JsonFault(start);
}

function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const byte = json[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) return at + 1;
  }
  throw new JsonFault(start);
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte === COLON || byte <= 0x20;
}
