import { fr, type Text } from '../errors/text';

const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d)))?$/;

/** The form of a date on the wire, for the OpenAPI document. */
export const DATE_PATTERN = ISO_8601.source;

/**
 * Reads a date-time of the wire: ISO 8601 with `Z` or an offset; a date alone means 00:00 UTC (docs/contract.md,
 * "Dates"). Parts of a millisecond are cut off. Answers undefined for anything else: no offset, a day that does not
 * exist, a year outside 1 to 9999.
 */
export function parseDate(text: string): Date | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHours, offsetMinutes] = match;
  const part = (value: string | undefined): number => Number(value ?? 0);
  const date = dayOf(part(year), part(month), part(day));
  if (!date) return undefined;
  date.setUTCHours(
    part(hour),
    part(minute),
    part(second),
    Number((fraction ?? '').padEnd(3, '0').slice(0, 3)),
  );
  const offset = (part(offsetHours) * 60 + part(offsetMinutes)) * 60_000;
  const instant = new Date(date.getTime() + (sign === '-' ? offset : -offset));
  const instantYear = instant.getUTCFullYear();
  return instantYear >= 1 && instantYear <= 9999 ? instant : undefined;
}

/** Whether a text has the form of a date or a date-time, and names a day that the calendar does not have. */
function isMissingDay(text: string): boolean {
  const [, year, month, day] = ISO_8601.exec(text) ?? [];
  return year !== undefined && !dayOf(Number(year), Number(month), Number(day));
}

/** Returns 00:00 UTC of a day; undefined for one that does not exist. */
function dayOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : undefined;
}

/** The forms of a date. */
const DATE_FORMS: Text = {
  en: 'must be an ISO 8601 date-time with Z or an offset, such as 2026-01-31T13:00:00Z, or a date AAAA-MM-JJ',
  fr: fr(
    'doit être une date et heure ISO 8601 avec Z ou un décalage, par exemple 2026-01-31T13:00:00Z, ou une date AAAA-MM-JJ',
  ),
};

const MISSING_DAY: Text = {
  en: `${DATE_FORMS.en}; this day does not exist`,
  fr: fr`${DATE_FORMS.fr}; ce jour n'existe pas`,
};

/** The sentence for a text that is no date. */
export function describeDate(sent: unknown): Text {
  return typeof sent === 'string' && isMissingDay(sent) ? MISSING_DAY : DATE_FORMS;
}
