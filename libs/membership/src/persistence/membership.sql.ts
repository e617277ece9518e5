/**
 * SQL of the day on which a membership begins, as the wire has days: at 00:00 UTC. One that came with a date begins on that
 * day; one that came with a moment, as a signing does, on the day that it was then for the tenant.
 *
 * @param row alias of the membership, with its dot
 */
export function dayOfMembership(row = ''): string {
  const since = `${row}date_adhesion`;
  return `CASE WHEN ${since} = date_trunc('day', ${since}, 'UTC') THEN ${since}
    ELSE date_trunc('day', ${since} AT TIME ZONE (SELECT tenant_time_zone())) AT TIME ZONE 'UTC' END`;
}
