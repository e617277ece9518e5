/** SQL of the current day of the tenant, computed once a statement. A day is the timestamp of its date at 00:00 UTC. */
export const TODAY = '(SELECT tenant_today())';

/**
 * SQL of the day of a moment in the tenant's time zone. A moment at 00:00 UTC is a date without time: its day is that date.
 */
export function dayOf(moment: string): string {
  return `CASE WHEN (${moment} AT TIME ZONE 'UTC')::time = '00:00' THEN ${moment}
    ELSE date_trunc('day', ${moment} AT TIME ZONE (SELECT tenant_time_zone())) AT TIME ZONE 'UTC' END`;
}

/** SQL of the beginning of a day, for a comparison with a moment. */
function beginning(day: string, moment: string): string {
  return `borne_du_jour(${moment}, ${day}, (${day} AT TIME ZONE 'UTC') AT TIME ZONE (SELECT tenant_time_zone()))`;
}

/** SQL: an employment or membership has ended by the beginning of a day. @param row its alias, with its dot */
export function hasEnded(day: string, row = ''): string {
  return `${row}date_fin <= ${beginning(day, `${row}date_fin`)}`;
}

/** SQL: an employment or membership has no end, or one after the beginning of a day. @param row its alias, with its dot */
export function hasNotEnded(day: string, row = ''): string {
  return `(${row}date_fin IS NULL OR ${row}date_fin > ${beginning(day, `${row}date_fin`)})`;
}

/**
 * SQL: an employment or membership has begun by the end of a day.
 *
 * @param row its alias, with its dot
 * @param start column of its beginning
 */
export function hasBegun(day: string, row = '', start = 'date_debut'): string {
  const moment = `${row}${start}`;
  return `(${moment} IS NULL OR ${moment} < ${beginning(`(${day} + interval '1 day')`, moment)})`;
}

/** SQL: an employment or membership is active on a day: it has begun by its end, and has not ended by its beginning (docs/contract.md, "Days"). */
export function activeOn(day: string, row = '', start = 'date_debut'): string {
  return `${hasBegun(day, row, start)}
    AND ${hasNotEnded(day, row)}`;
}
