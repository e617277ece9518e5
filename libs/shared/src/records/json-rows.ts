const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The bytes are not JSON; `at` is where that shows. */
export class JsonFault extends Error {
  constructor(readonly at: number) {
    super(`invalid JSON at byte ${at}`);
  }
}

/**
 * A JSON array inside a body whose elements are parsed one at a time, when they are asked for. A sync of 100,000
 * records thus holds its bytes and one record, never all of them as objects, and never stops the event loop for the
 * time that parsing everything would take.
 */
export class JsonRows implements Iterable<unknown> {
  constructor(
    private readonly json: Buffer,
    private readonly start: number,
  ) {}

  /** @throws JsonFault when the walk comes upon bytes that are not JSON */
  *[Symbol.iterator](): Iterator<unknown> {
    let at = skipSpace(this.json, this.start + 1);
    if (this.json[at] === CLOSE_ARRAY) return;
    for (;;) {
      const end = endOfValue(this.json, at);
      yield parse(this.json, at, end);
      at = skipSpace(this.json, end);
      if (this.json[at] === CLOSE_ARRAY) return;
      if (this.json[at] !== COMMA) throw new JsonFault(at);
      at = skipSpace(this.json, at + 1);
    }
  }
}

/**
 * Reads a JSON object, leaving each array directly in it unparsed as JsonRows. Anything but an object is parsed as it
 * is. The structure between the arrays' elements is checked when they are walked.
 *
 * @param json valid UTF-8
 * @param onDuplicate told of a property that is there twice
 * @throws JsonFault
 */
export function parseWithRows(json: Buffer, onDuplicate: (name: string) => void): unknown {
  let at = skipSpace(json, 0);
  if (json[at] !== OPEN_OBJECT) return parse(json, 0, json.length);
  const entries = new Map<string, unknown>();
  at = skipSpace(json, at + 1);
  while (json[at] !== CLOSE_OBJECT) {
    if (json[at] !== QUOTE) throw new JsonFault(at);
    const nameEnd = endOfValue(json, at);
    const name = parse(json, at, nameEnd) as string;
    if (entries.has(name)) onDuplicate(name);
    at = skipSpace(json, nameEnd);
    if (json[at] !== COLON) throw new JsonFault(at);
    at = skipSpace(json, at + 1);
    const end = endOfValue(json, at);
    entries.set(name, json[at] === OPEN_ARRAY ? new JsonRows(json, at) : parse(json, at, end));
    at = skipSpace(json, end);
    if (json[at] === COMMA) {
      at = skipSpace(json, at + 1);
      if (json[at] === CLOSE_OBJECT) throw new JsonFault(at);
    } else if (json[at] !== CLOSE_OBJECT) {
      throw new JsonFault(at);
    }
  }
  const rest = skipSpace(json, at + 1);
  if (rest !== json.length) throw new JsonFault(rest);
  // fromEntries defines properties, so that a name such as __proto__ is one like any other.
  return Object.fromEntries(entries);
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

/** Where the value that begins at `start` ends. Finds brackets' partners only; whether it is JSON, parsing tells. */
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
