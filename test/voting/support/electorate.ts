import type { SyncV2 } from '../../membership/synced';
import { employer, isActiveOn, today, union } from '../../sync/support';

export const UNIONS = ['SYN-1', 'SYN-2', 'SYN-3'];
export const EMPLOYERS = ['EMP-1', 'EMP-2', 'EMP-3'];

/** Unions that share all employers. */
export const UNIONS_OF_EMPLOYERS: SyncV2 = {
  Syndicats: UNIONS.map((one) =>
    union(
      one,
      EMPLOYERS.map((each) => employer(each)),
    ),
  ),
};

/** From a moment to another, in milliseconds. An infinite one is absent on the wire. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** An employee: memberships by their unions, and employments. */
export interface Person {
  readonly unions: Readonly<Record<string, Span>>;
  readonly jobs: readonly (Span & { readonly employer: string })[];
}

export interface Criteria {
  SyndicatsIdExternes?: string[] | null;
  EmployeursIdentifiantsExternes?: string[] | null;
  EmployesIdExternes?: string[] | null;
  ActifsLe?: string;
}

/** A moment as the wire has it. */
export const wire = (moment: number): string | null =>
  Number.isFinite(moment) ? new Date(moment).toISOString() : null;

/** The day on which a membership begins; a moment belongs to a day of Toronto. */
const dayOfMembership = (since: number): number =>
  since % 86_400_000 === 0 ? since : Date.parse(today(0, 'America/Toronto', new Date(since)));

/** Union and employer of an employee as a voter by criteria; undefined if the employee does not meet them. */
export function asVoter(
  name: string,
  person: Person,
  criteria: Criteria,
): [union: string | null, employer: string | null] | undefined {
  const day = new Date(criteria.ActifsLe ?? today()).toISOString();
  const isActive = ({ from, to }: Span): boolean => isActiveOn(day, wire(from), wire(to));
  const given = (ids: string[] | null | undefined): ids is string[] => ids != null && ids.length > 0;
  const { SyndicatsIdExternes: unions, EmployesIdExternes: ids } = criteria;
  const employers = criteria.EmployeursIdentifiantsExternes;
  const memberships = Object.entries(person.unions)
    .filter(([union, span]) => isActive(span) && (!given(unions) || unions.includes(union)))
    .sort(([, a], [, b]) => dayOfMembership(a.from) - dayOfMembership(b.from) || a.from - b.from);
  const active = person.jobs
    .filter((held) => isActive(held) && (!given(employers) || employers.includes(held.employer)))
    .sort((a, b) => b.from - a.from);
  if (given(ids) && !ids.includes(name)) return undefined;
  if (given(unions) && memberships.length === 0) return undefined;
  if (given(employers) && active.length === 0) return undefined;
  const isNamedAlone = !given(unions) && !given(employers);
  if (isNamedAlone && person.jobs.length > 0 && active.length === 0 && memberships.length === 0)
    return undefined;
  return [memberships[0]?.[0] ?? null, active[0]?.employer ?? null];
}

/** The voters of criteria, computed by one employee after the other. */
export function expectedRoll(
  people: Record<string, Person>,
  criteria: Criteria,
): Record<string, [unknown, unknown]> {
  const entries = Object.entries(people).map(([name, person]) => [name, asVoter(name, person, criteria)]);
  return Object.fromEntries(entries.filter(([, voter]) => voter !== undefined)) as Record<
    string,
    [unknown, unknown]
  >;
}
