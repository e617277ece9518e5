import { setImmediate } from 'node:timers/promises';
import { isPlainObject } from '../input/fold';
import { Streamed } from './streamed';

/** Length from which a part is passed on, in UTF-16 units. */
const PART_LENGTH = 262_144;

/** Returns a value as JSON. Its bytes are made at once, because they are fewer than those of the value. */
export async function streamedJson(value: unknown): Promise<Streamed> {
  const made: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of jsonParts(value)) {
    // Other requests are served between two parts.
    if (made.push(part) > 1) await setImmediate();
    bytes += part.length;
  }
  const parts = async function* (): AsyncGenerator<Uint8Array, void> {
    yield* made;
  };
  return new Streamed(parts, undefined, bytes);
}

/** Yields the bytes of `JSON.stringify(value)` in parts. Lists are cut between their items. */
export async function* jsonParts(value: unknown): AsyncGenerator<Uint8Array, void> {
  let text = '';
  for (const piece of pieces(value)) {
    text += piece;
    if (text.length < PART_LENGTH) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text) yield Buffer.from(text);
}

/** Yields the text of a value. Pieces are the items of a list, and values of other kinds except objects. */
function* pieces(value: unknown): Generator<string, void> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) yield `${index ? ',' : ''}${JSON.stringify(item) ?? 'null'}`;
    yield ']';
  } else if (isPlainObject(value)) {
    yield '{';
    let separator = '';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* pieces(member);
      separator = ',';
    }
    yield '}';
  } else yield JSON.stringify(value);
}
