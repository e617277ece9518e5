import { fr, type Text } from '../errors/text';

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COLON = 0x3a;

/** Shorter JSON is parsed in a few milliseconds, whatever it holds. */
const SHORT_BYTES = 65_536;

/** Limits of one JSON text. They are far above the needs of any operation. */
export const MOST_NAMES = 1_000;
const MOST_LEVELS = 64;
const MOST_CONTAINERS = 120_000;

const HASHES = 65_536;

export const TOO_MANY_NAMES: Text = {
  en: `must have at most ${MOST_NAMES.toLocaleString('en')} different property names`,
  fr: fr`doit avoir au plus ${MOST_NAMES} noms de propriétés différents`,
};

const TOO_MANY_CONTAINERS: Text = {
  en: `must have at most ${MOST_CONTAINERS.toLocaleString('en')} objects and lists`,
  fr: fr`doit avoir au plus ${MOST_CONTAINERS} objets et listes`,
};

const TOO_DEEP: Text = {
  en: `must be nested at most ${MOST_LEVELS} levels deep`,
  fr: fr`doit avoir au plus ${MOST_LEVELS} niveaux d'imbrication`,
};

/**
 * Detects JSON that is too expensive to parse: V8 needs 40 to 75 ms for a megabyte of different property names or of lists
 * within lists, twice as long for one of empty lists, and 9 ms for one of ordinary records. Looks at bytes only, in 1 to 2 ms for a megabyte.
 *
 * @returns a sentence without subject; undefined where the text may be parsed
 */
export function shapeFault(json: Buffer, start = 0, end = json.length): Text | undefined {
  if (end - start <= SHORT_BYTES) return undefined;
  // Names are compared by a hash. Two names with the same hash count as one.
  const isKnown = new Uint8Array(HASHES);
  let names = 0;
  let level = 0;
  let containers = 0;
  let text = 0;
  for (let at = start; at < end; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      text = 0;
      for (at++; at < end && json[at] !== QUOTE; at++) {
        if (json[at] === BACKSLASH) at++;
        text = (Math.imul(text, 31) + json[at]!) | 0;
      }
    } else if (byte === COLON) {
      const hash = (text ^ (text >>> 16)) & (HASHES - 1);
      if (isKnown[hash]) continue;
      isKnown[hash] = 1;
      if (++names > MOST_NAMES) return TOO_MANY_NAMES;
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++containers > MOST_CONTAINERS) return TOO_MANY_CONTAINERS;
      if (++level > MOST_LEVELS) return TOO_DEEP;
    } else if (byte === 0x5d || byte === 0x7d) {
      level--;
    }
  }
  return undefined;
}
