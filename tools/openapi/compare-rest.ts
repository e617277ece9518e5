import type { Change } from './compare-schemas';

/** What tells a reader something and decides nothing about a request or an answer. */
const TEXTS = [
  'description',
  'summary',
  'example',
  'examples',
  'title',
  'default',
  'tags',
  'servers',
  'info',
];

/** Names under which everything is a name, even one that is called as a text is. */
const NAMED = ['properties', 'schemas', 'paths', 'responses', 'headers'];

/** What is described otherwise, by its place in the documents; never breaking. */
export function textChanges(before: object, after: object): Change[] {
  const changes: Change[] = [];
  const visit = (old: unknown, now: unknown, place: readonly string[], isNamed: boolean): void => {
    if (!isObject(old) || !isObject(now)) return;
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const here = [...place, key];
      if (!isNamed && TEXTS.includes(key)) {
        if (JSON.stringify(old[key]) !== JSON.stringify(now[key]))
          changes.push({ breaking: false, place: here.join('/'), what: saidOtherwise(old[key], now[key]) });
      } else visit(old[key], now[key], here, !isNamed && NAMED.includes(key));
    }
  };
  visit(before, after, [], false);
  return changes;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function saidOtherwise(old: unknown, now: unknown): string {
  if (old === undefined) return 'is said now';
  if (now === undefined) return 'is no longer said';
  return 'says something else';
}
