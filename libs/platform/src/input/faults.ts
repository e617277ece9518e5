import { isEmail as isAddress } from 'class-validator';
import { invisibleFault } from './characters';
import { sendable } from './email-address';
import { type DateField, type DecimalField, type Field } from './field';
import { describeDate } from './wire-date';
import { requestNow } from '../limits/request-times';
import { MOST_LEVELS, MOST_TAGS } from './html-limits';
import { fr, type Text, verbatim } from '../errors/text';

/** Whether a text is one address to which a mail can be sent, as fields of the format `email` take it. */
export function isEmail(text: unknown): boolean {
  return (
    isAddress(text) && invisibleFault(text as string) === undefined && sendable(text as string) !== undefined
  );
}

/** Names of the rules a value can break; the `code` of a fault. */
export type FaultCode =
  'required' | 'type' | 'length' | 'email' | 'uuid' | 'currency' | 'range' | 'choice' | 'date' | 'duplicate';

/**
 * The sentence for a broken rule, the same whether a single write or a sync found it.
 *
 * @param sent the value that breaks it
 */
export function describeFault(field: Field, code: FaultCode, sent?: unknown): Text {
  switch (code) {
    case 'required':
      return { en: 'is required', fr: fr('est obligatoire') };
    case 'length':
      if (field.kind === 'text') {
        const most = atMostCharacters(field.max);
        if (field.format !== 'html') return most;
        return {
          en: `${most.en}, ${MOST_TAGS.toLocaleString('en')} tags and ${MOST_LEVELS} levels of tags`,
          fr: fr`${most.fr}, ${MOST_TAGS} balises et ${MOST_LEVELS} niveaux de balises`,
        };
      }
      if (!('max' in field) || field.max === undefined) return { en: 'is too long', fr: fr('est trop long') };
      return {
        en: `must have at most ${field.max.toLocaleString('en')} elements`,
        fr: fr`doit avoir au plus ${field.max} éléments`,
      };
    case 'email':
      // The published words for a sync (docs/contract.md, "Employees").
      return { en: 'invalid e-mail', fr: fr('courriel non valide') };
    case 'uuid':
      return NO_GUID;
    case 'currency':
      return {
        en: 'must be a currency code of ISO 4217, such as CAD',
        fr: fr('doit être un code de monnaie ISO 4217, par exemple CAD'),
      };
    case 'range':
      return describeRange(field);
    case 'choice':
      return describeChoice(field);
    case 'duplicate':
      return { en: 'must not name anything twice', fr: fr('ne doit rien nommer deux fois') };
    case 'date':
      return describeDate(sent);
    case 'type':
      if (field.kind !== 'text' || !field.asText) return TYPES[field.kind];
      return { en: `must be text: ${field.asText.en}`, fr: fr`doit être du texte : ${field.asText.fr}` };
  }
}

export const NO_GUID: Text = { en: 'must be a GUID', fr: fr('doit être un GUID') };

export function atMostCharacters(most: number): Text {
  return { en: `must have at most ${most} characters`, fr: fr`doit avoir au plus ${most} caractères` };
}

function describeRange(field: Field): Text {
  switch (field.kind) {
    case 'integer':
      return {
        en: `must be from ${field.min} to ${field.max}`,
        fr: fr`doit être de ${field.min} à ${field.max}`,
      };
    case 'date':
      return {
        en: `must not be more than ${MOST_MINUTES_AHEAD} minutes ahead`,
        fr: fr`ne doit pas être plus de ${MOST_MINUTES_AHEAD} minutes dans l'avenir`,
      };
    case 'decimal': {
      const { decimals, max } = field;
      const most = max.toLocaleString('en');
      return field.orZero
        ? {
            en: `must be a decimal number of at least 0, at most ${most}, with at most ${decimals} decimals`,
            fr: fr`doit être un nombre décimal d'au moins 0, d'au plus ${max}, avec au plus ${decimals} décimales`,
          }
        : {
            en: `must be a decimal number above 0, at most ${most}, with at most ${decimals} decimals`,
            fr: fr`doit être un nombre décimal supérieur à 0, d'au plus ${max}, avec au plus ${decimals} décimales`,
          };
    }
    default:
      return { en: 'is out of range', fr: fr('est hors limites') };
  }
}

function describeChoice(field: Field): Text {
  if (!('values' in field)) return verbatim('');
  const values = field.values.join(', ');
  return field.kind === 'choices'
    ? { en: `must be among ${values}`, fr: fr`doit être parmi ${values}` }
    : { en: `must be one of ${values}`, fr: fr`doit être une de ces valeurs : ${values}` };
}

export const NO_TEXT: Text = { en: 'must be text', fr: fr('doit être du texte') };
export const NO_OBJECT: Text = { en: 'must be an object', fr: fr('doit être un objet') };
const TEXTS: Text = { en: 'must be a list of texts', fr: fr('doit être une liste de textes') };

const TYPES: Record<Field['kind'], Text> = {
  text: NO_TEXT,
  integer: { en: 'must be a whole number', fr: fr('doit être un nombre entier') },
  decimal: {
    en: 'must be a number, or a decimal number as text',
    fr: fr('doit être un nombre, ou un nombre décimal sous forme de texte'),
  },
  boolean: { en: 'must be true or false', fr: fr('doit être true ou false') },
  date: {
    en: 'must be a date, or a date-time, as text',
    fr: fr('doit être une date, ou une date et heure, sous forme de texte'),
  },
  choice: NO_TEXT,
  choices: TEXTS,
  texts: TEXTS,
  record: NO_OBJECT,
  records: { en: 'must be a list of objects', fr: fr("doit être une liste d'objets") },
  rows: { en: 'must be a list', fr: fr('doit être une liste') },
  readOnly: { en: 'must be absent', fr: fr('doit être absent') },
};

/** Most minutes by which the time of a past event may be ahead of the clock of the data space. */
const MOST_MINUTES_AHEAD = 10;

/** Whether a time is within the bounds of its field. */
export function isInTime(date: Date, { notAhead }: Pick<DateField, 'notAhead'>): boolean {
  return !notAhead || date.getTime() <= requestNow().getTime() + MOST_MINUTES_AHEAD * 60_000;
}

/** Whether a text has at most `max` characters (code points). */
export function hasAtMost(text: string, max: number): boolean {
  // A code point is one or two units, so most texts need no count.
  if (text.length <= max) return true;
  return text.length <= 2 * max && [...text].length <= max;
}

/** Bounds of a decimal number, as a field has them. */
export type DecimalBounds = Pick<DecimalField, 'max' | 'decimals' | 'orZero'>;

/** Whether a text is a plain decimal number within the bounds of a field. */
export function isDecimal(text: string, { max, decimals, orZero }: DecimalBounds): boolean {
  const match = /^(\d{1,15})(?:\.(\d+))?$/.exec(text);
  if (!match || (match[2] ?? '').length > decimals) return false;
  // Exact as far as the comparison goes: of 15 digits and more none passes.
  return (orZero || Number(text) > 0) && Number(text) <= max;
}

/** The 36-character form of a UUID of any version. */
export function isGuid(text: unknown): boolean {
  return typeof text === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
