import type { Field } from './field';
import { fr, type Text } from '../errors/text';

/** NFC changes only characters from U+0300 on, and what precedes them. */
const MAY_BE_DECOMPOSED = /[\u0300-\uffff]/;
const DIRECTION_CONTROL = /[\u202a-\u202e\u2066-\u2069]/;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** U+2800 is a symbol that shows nothing. */
const VISIBLE = /[^\s\p{Zs}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const PLAIN = /^[ -~]*$/;
/** White space at the edges is trimmed. JavaScript also calls U+FEFF white space, which no reader of Unicode does. */
const EDGES = /^[^\S\ufeff]+|[^\S\ufeff]+$/g;

/** Returns a text in NFC. */
export function composed(text: string): string {
  return MAY_BE_DECOMPOSED.test(text) ? text.normalize() : text;
}

/** Whether a text has a character that is seen. */
export function hasVisible(text: string): boolean {
  return /[!-~]/.test(text) || VISIBLE.test(text);
}

const NUL: Text = {
  en: 'must not contain the character U+0000',
  fr: fr('ne doit pas contenir le caractère U+0000'),
};

const LONE_SURROGATE: Text = {
  en: 'must not contain half of a surrogate pair',
  fr: fr('ne doit pas contenir une moitié de paire de substitution'),
};

const NO_PATH: Text = {
  en: 'must not be . or .., which no path can name',
  fr: fr("ne doit pas être « . » ou « .. », qu'aucun chemin ne peut nommer"),
};

const NOTHING_VISIBLE: Text = {
  en: 'must have a visible character',
  fr: fr('doit avoir un caractère visible'),
};

/** Returns why a text cannot be stored, or undefined. */
export function textFault(text: string): Text | undefined {
  if (text.includes('\u0000')) return NUL;
  if (!text.isWellFormed()) return LONE_SURROGATE;
  return undefined;
}

/** Returns the control of the text's direction that would show it in another order, or undefined. */
export function directionFault(text: string): Text | undefined {
  if (!DIRECTION_CONTROL.test(text)) return undefined;
  const { point, place } = found(text, DIRECTION_CONTROL)!;
  return {
    en: `must not contain U+${point}, which changes its direction, at character ${place}`,
    fr: fr`ne doit pas contenir U+${point}, qui change le sens du texte, au caractère ${place}`,
  };
}

/** Returns the first invisible character of an identifier or an address, or undefined. */
export function invisibleFault(text: string): Text | undefined {
  if (PLAIN.test(text)) return undefined;
  const inner = text.replaceAll(EDGES, (space) => ' '.repeat(space.length));
  const character = found(inner, INVISIBLE);
  if (!character) return undefined;
  const { point, place } = character;
  return {
    en: `must not contain U+${point}, which is invisible, at character ${place}`,
    fr: fr`ne doit pas contenir U+${point}, qui est invisible, au caractère ${place}`,
  };
}

/** Returns why a text may not be written to a field, or undefined. Stored texts may still be read. */
export function writtenFault(text: string, field: Field): { code: string; detail: Text } | undefined {
  const { isIdentifier = false, isStored = false } = field.kind === 'text' ? field : {};
  if (isStored) {
    const detail = textFault(text);
    return detail === undefined ? undefined : { code: 'characters', detail };
  }
  if (isIdentifier && /^\s*\.\.?\s*$/.test(text)) return { code: 'characters', detail: NO_PATH };
  if (PLAIN.test(text)) return undefined;
  const isName = isIdentifier || (field.kind === 'text' && field.format === 'email');
  const detail = textFault(text) ?? (isName ? invisibleFault(text) : undefined) ?? directionFault(text);
  if (detail !== undefined) return { code: 'characters', detail };
  if (field.kind !== 'text') return undefined;
  const isNeeded = field.required ?? field.neverNull ?? field.always;
  // Without any character it is absent.
  if (isNeeded && !hasVisible(text) && text.trim() !== '')
    return { code: 'required', detail: NOTHING_VISIBLE };
  return undefined;
}

/** Names a character by its code point and its place, counted in characters from 1. */
function found(text: string, character: RegExp): { point: string; place: number } | undefined {
  const match = character.exec(text);
  if (!match) return undefined;
  return {
    point: match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0'),
    place: [...text.slice(0, match.index)].length + 1,
  };
}
