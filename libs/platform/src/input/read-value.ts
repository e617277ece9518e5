import type { Field } from './field';
import { parseDate } from './wire-date';

/**
 * Reads one value by its field, for single and for bulk writes: text is trimmed (empty becomes null), a GUID gets small
 * letters, a date becomes a Date and a decimal number text. A value of another type is returned unchanged.
 */
export function readValue(value: unknown, field: Field): unknown {
  if (field.kind === 'decimal' && typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return null;
  // GUIDs are compared as text.
  if (field.kind === 'text' && field.format === 'uuid') return text.toLowerCase();
  // A date that cannot be read stays text, and the check that follows reports it.
  return field.kind === 'date' ? (parseDate(text) ?? text) : text;
}
