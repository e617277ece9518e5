import { utf8 } from './bytes.js';
import { Malformed } from './findings.js';

const MOST_DEPTH = 32;

/** Returns the canonical JSON (RFC 8785) of a parsed value. */
export function canonical(value: unknown): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Malformed('JSON', 'whole characters', 'half of a surrogate pair');
    return JSON.stringify(value);
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(',')}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, item]) => `${canonical(name)}:${canonical(item)}`).join(',')}}`;
}

/** @throws Malformed if the value has too many levels for a recursion. */
function assertFlat(value: unknown, depth = 0): void {
  if (value === null || typeof value !== 'object') return;
  if (depth > MOST_DEPTH) throw new Malformed('JSON', `at most ${MOST_DEPTH} levels`, 'more');
  for (const item of Object.values(value)) assertFlat(item, depth + 1);
}

/** Returns the value of JSON in any form. */
export function parsed(bytes: Uint8Array): unknown {
  const text = utf8(bytes);
  if (text === undefined) throw new Malformed('text', 'UTF-8', 'other bytes');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Malformed('JSON', 'JSON', text.slice(0, 60));
  }
  assertFlat(value);
  return value;
}

/** Returns the value of canonical JSON. A name that occurs twice is not canonical, because a parser keeps one of them. */
export function parsedCanonical(bytes: Uint8Array): unknown {
  const value = parsed(bytes);
  const expected = Buffer.from(canonical(value));
  if (!expected.equals(bytes)) {
    const at = expected.findIndex((byte, index) => byte !== bytes[index]);
    const from = Math.max(0, (at < 0 ? expected.length : at) - 20);
    const part = (all: Uint8Array): string => Buffer.from(all.subarray(from, from + 60)).toString();
    throw new Malformed('canonical JSON (RFC 8785)', part(expected), part(bytes));
  }
  return value;
}
