import { isDeepStrictEqual } from 'node:util';

/** How the set of possible values changes, or what its change means for callers in any case. */
export type Kind = 'narrower' | 'wider' | 'breaking' | 'harmless';

/** Callers send requests and the service sends answers. */
export type Direction = 'as sent' | 'as answered';

type Rule = (old: unknown, now: unknown, direction: Direction) => Kind;

/** A request may allow more than before; an answer may not. */
export const isBreaking = (kind: Kind, direction: Direction): boolean =>
  kind === 'breaking' || kind === (direction === 'as sent' ? 'narrower' : 'wider');

const harmless: Rule = () => 'harmless';
const lower: Rule = (old, now) =>
  Number(now ?? -Infinity) > Number(old ?? -Infinity) ? 'narrower' : 'wider';
const upper: Rule = (old, now) => (Number(now ?? Infinity) < Number(old ?? Infinity) ? 'narrower' : 'wider');
const limit: Rule = (old, now) => (!old === !now ? 'harmless' : now ? 'narrower' : 'wider');
const permission: Rule = (old, now) => (!old === !now ? 'harmless' : now ? 'wider' : 'narrower');
/** Between two patterns neither includes the other for sure. */
const exact: Rule = (old, now) => (old === undefined ? 'narrower' : now === undefined ? 'wider' : 'breaking');

const type: Rule = (old, now, direction) => {
  if (old === 'number' && now === 'integer') return 'narrower';
  return old === 'integer' && now === 'number' ? 'wider' : exact(old, now, direction);
};

const values: Rule = (old, now, direction) => {
  if (!Array.isArray(old) || !Array.isArray(now)) return exact(old, now, direction);
  // `nullable` decides about null.
  const has = (list: unknown[], value: unknown): boolean => value === null || list.includes(value);
  const isNarrower = !old.every((value) => has(now, value));
  const isWider = !now.every((value) => has(old, value));
  return isNarrower && isWider ? 'breaking' : isNarrower ? 'narrower' : isWider ? 'wider' : 'harmless';
};

/** Answers ignore these keywords. */
const sentOnly =
  (rule: Rule): Rule =>
  (old, now, direction) =>
    direction === 'as answered' ? 'harmless' : rule(old, now, direction);

const forEach = (rule: Rule, keywords: string) =>
  keywords.split(' ').map((key): [string, Rule] => [key, rule]);

const RULES = new Map<string, Rule>([
  ...forEach(type, 'type'),
  ...forEach(values, 'enum'),
  ...forEach(lower, 'minimum minLength minItems minProperties'),
  ...forEach(upper, 'maximum maxLength maxItems maxProperties'),
  ...forEach(limit, 'exclusiveMinimum exclusiveMaximum uniqueItems required closed'),
  ...forEach(permission, 'nullable'),
  ...forEach(exact, 'pattern format multipleOf'),
  ...forEach(sentOnly(limit), 'readOnly'),
  ...forEach(
    sentOnly((old) => (old === undefined ? 'harmless' : 'breaking')),
    'default',
  ),
  ...forEach((_old, now) => (now === undefined ? 'harmless' : 'breaking'), 'module'),
  ...forEach(harmless, 'deprecated description summary example examples title tags servers info'),
]);

/** Returns the kind of a change, or undefined if nothing changes. A keyword without a rule is breaking. */
export function kindOf(keyword: string, old: unknown, now: unknown, direction: Direction): Kind | undefined {
  if (isDeepStrictEqual(old, now)) return undefined;
  return RULES.get(keyword)?.(old, now, direction) ?? 'breaking';
}
