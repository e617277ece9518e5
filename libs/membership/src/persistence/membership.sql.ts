/**
 * SQL of the day on which a membership begins, at 00:00 UTC. A membership with a date begins on that day. A membership with
 * a time, which signings write, begins on the day in the tenant's time zone.
 *
 * @param row alias of the membership, with its dot
 */
export function dayOfMembership(row = ''): string {
  const since = `${row}date_adhesion`;
  return `CASE WHEN ${since} = date_trunc('day', ${since}, 'UTC') THEN ${since}
    ELSE date_trunc('day', ${since} AT TIME ZONE (SELECT tenant_time_zone())) AT TIME ZONE 'UTC' END`;
}
