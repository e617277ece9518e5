/**
 * Returns the day in a time zone, now or at a moment, in the form of dates in responses: at 00:00 UTC. `offset` adds
 * days.
 */
export function today(offset = 0, timeZone = 'America/Toronto', at = new Date()): string {
  const [year, month, day] = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  })
    .format(at)
    .split('-')
    .map(Number);
  return new Date(Date.UTC(year!, month! - 1, day! + offset)).toISOString();
}

/**
 * Returns whether a span of two moments, each in the form of responses or null, is active on a day (docs/contract.md,
 * "Days"): whether it begins before the midnight after the day and ends after the midnight before it. A moment at
 * 00:00 UTC is a date.
 */
export function isActiveOn(
  day: string,
  begin: string | null,
  end: string | null,
  timeZone = 'America/Toronto',
): boolean {
  const dayAfter = new Date(Date.parse(day) + 86_400_000).toISOString();
  const isFirst = (moment: string): boolean =>
    isDate(moment) || today(0, timeZone, new Date(Date.parse(moment) - 1)) < dayOf(moment, timeZone);
  const begins = begin === null || dayOf(begin, timeZone) < dayAfter;
  const ends = end !== null && (dayOf(end, timeZone) < day || (dayOf(end, timeZone) === day && isFirst(end)));
  return begins && !ends;
}

const isDate = (moment: string): boolean => Date.parse(moment) % 86_400_000 === 0;

/** Returns the day of a moment in the form of responses. */
export function dayOf(moment: string, timeZone = 'America/Toronto'): string {
  return isDate(moment) ? moment : today(0, timeZone, new Date(moment));
}

/** Waits until the next day if midnight is near, because a test with the current day must not run over its end. */
export async function awayFromMidnight(timeZone = 'America/Toronto'): Promise<void> {
  const soon = (): string =>
    new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(Date.now() + 15_000);
  const now = (): string =>
    new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(Date.now());
  while (soon() !== now()) await new Promise((resolve) => setTimeout(resolve, 500));
}
