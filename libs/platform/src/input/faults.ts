import { isEmail as isAddress } from 'class-validator';
import { invisibleFault } from './characters';
import { sendable } from './email-address';
import { type DateField, type DecimalField, type Field } from './field';
import { describeDate } from './wire-date';
import { MOST_LEVELS, MOST_TAGS } from './html-limits';

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
export function describeFault(field: Field, code: FaultCode, sent?: unknown): string {
  switch (code) {
    case 'required':
      return 'is required';
    case 'length':
      if (field.kind === 'text') {
        const most = `must have at most ${field.max} characters`;
        return field.format === 'html'
          ? `${most}, ${MOST_TAGS.toLocaleString('en')} tags and ${MOST_LEVELS} levels of tags`
          : most;
      }
      return 'max' in field ? `must have at most ${field.max?.toLocaleString('en')} elements` : 'is too long';
    case 'email':
      // The published words for a sync (docs/contract.md, "Employees").
      return 'invalid e-mail';
    case 'uuid':
      return 'must be a GUID';
    case 'currency':
      return 'must be a currency code of ISO 4217, such as CAD';
    case 'range':
      if (field.kind === 'integer') return `must be from ${field.min} to ${field.max}`;
      if (field.kind === 'date') return `must not be more than ${MOST_MINUTES_AHEAD} minutes ahead`;
      return field.kind === 'decimal'
        ? `must be a decimal number ${field.orZero ? 'of at least' : 'above'} 0, at most ${field.max.toLocaleString('en')}, with at most ${field.decimals} decimals`
        : 'is out of range';
    case 'choice':
      return 'values' in field
        ? `must be ${field.kind === 'choices' ? 'among' : 'one of'} ${field.values.join(', ')}`
        : '';
    case 'duplicate':
      return 'must not name anything twice';
    case 'date':
      return describeDate(sent);
    case 'type':
      return field.kind === 'text' && field.asText
        ? `must be text: ${field.asText}`
        : `must be ${TYPE_NAMES[field.kind]}`;
  }
}

const TYPE_NAMES: Record<Field['kind'], string> = {
  text: 'text',
  integer: 'a whole number',
  decimal: 'a number, or a decimal number as text',
  boolean: 'true or false',
  date: 'a date, or a date-time, as text',
  choice: 'text',
  choices: 'a list of texts',
  texts: 'a list of texts',
  record: 'an object',
  records: 'a list of objects',
  rows: 'a list',
  readOnly: 'absent',
};

/** Most minutes by which the time of a past event may be ahead of the service's clock. */
const MOST_MINUTES_AHEAD = 10;

/** Whether a time is within the bounds of its field. */
export function isInTime(date: Date, { notAhead }: Pick<DateField, 'notAhead'>): boolean {
  return !notAhead || date.getTime() <= Date.now() + MOST_MINUTES_AHEAD * 60_000;
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
