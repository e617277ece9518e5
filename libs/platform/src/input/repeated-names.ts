import { pointerToken } from './fold';
import { BACKSLASH, COLON, QUOTE } from './json-shape';

/**
 * Returns the pointer of a property that one object has twice. `JSON.parse` keeps only the last one.
 *
 * @param json the text
 * @param value what `JSON.parse` made of it
 */
export function repeatedName(json: Buffer, value: unknown, start = 0, end = json.length): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // As many names as properties means no repetition. Only a text with a repetition is read a second time.
  if (namesIn(json, start, end) === propertiesOf(value)) return undefined;
  return firstRepeated(json.toString('utf8', start, end));
}

function namesIn(json: Buffer, start: number, end: number): number {
  let names = 0;
  for (let at = start; at < end; at++) {
    const byte = json[at];
    if (byte === COLON) names++;
    else if (byte === QUOTE) {
      for (at++; at < end && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
    }
  }
  return names;
}

/** Levels that are walked. Below, the text itself is read, because it may nest deeper than the stack. */
const MOST_LEVELS = 100;

function propertiesOf(value: object, level = 0): number {
  if (level > MOST_LEVELS) return NaN;
  let properties = 0;
  if (Array.isArray(value)) {
    for (const member of value as unknown[])
      if (typeof member === 'object' && member !== null) properties += propertiesOf(member, level + 1);
    return properties;
  }
  for (const name in value) {
    properties++;
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === 'object' && member !== null) properties += propertiesOf(member, level + 1);
  }
  return properties;
}

/** An object, or a list, which counts its elements. */
interface Level {
  readonly names?: Set<string>;
  token: string;
  place: number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** @param text valid JSON */
function firstRepeated(text: string): string | undefined {
  const levels: Level[] = [];
  let isName = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ names: new Set(), token: '', place: 0 });
    else if (token === '[') levels.push({ token: '0', place: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && level && !level.names) level.token = String(++level.place);
    else if (isName && level?.names && token.startsWith('"')) {
      const name = JSON.parse(token) as string;
      level.token = pointerToken(name);
      if (level.names.has(name)) return levels.map((one) => `/${one.token}`).join('');
      level.names.add(name);
    }
    isName = token === '{' || (token === ',' && level?.names !== undefined);
  }
  return undefined;
}
