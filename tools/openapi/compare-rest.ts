import { isDeepStrictEqual } from 'node:util';
import type { Change } from './compare-schemas';

/** Keywords that only inform readers and do not affect requests or responses. */
const TEXTS = ['description', 'summary', 'example', 'examples', 'title', 'tags', 'servers', 'info'];

/** For each keyword, the number of levels below it whose keys are names, even if they look like keywords. */
const NAMES: Readonly<Record<string, number>> = {
  paths: 1,
  callbacks: 2,
  responses: 1,
  headers: 1,
  content: 1,
  schemas: 1,
  securitySchemes: 1,
  properties: 1,
};

/** Keywords that compare.ts and compare-schemas.ts compare. */
const COMPARED = new Set([
  ...Object.keys(NAMES),
  ...['components', 'get', 'put', 'post', 'delete', 'patch', 'head', 'options'],
  ...['operationId', 'deprecated', 'x-codes', 'x-requires', 'role', 'module', 'parameters', 'requestBody'],
  ...['in', 'name', 'required', 'schema', '$ref', 'allOf', 'oneOf', 'anyOf'],
  ...['type', 'format', 'pattern', 'multipleOf', 'nullable', 'readOnly', 'enum', 'default', 'uniqueItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength'],
  ...['items', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'additionalProperties'],
]);

/**
 * Returns all other differences by their place in the documents: texts, which are never breaking, and unknown keywords,
 * which count as breaking.
 */
export function otherChanges(before: object, after: object): Change[] {
  const changes: Change[] = [];
  const visit = (old: unknown, now: unknown, place: readonly string[], names: number): void => {
    if (!isObject(old) || !isObject(now)) return;
    const isList = Array.isArray(old);
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const here = [...place, key];
      if (names > 0) visit(old[key], now[key], here, names - 1);
      else if (isList || COMPARED.has(key)) visit(old[key], now[key], here, NAMES[key] ?? 0);
      else if (!isDeepStrictEqual(old[key], now[key])) {
        const isText = TEXTS.includes(key);
        const what = isText ? saidOtherwise(old[key], now[key]) : 'differs in something that is not compared';
        changes.push({ breaking: !isText, place: here.join('/'), what });
      }
    }
  };
  visit(before, after, [], 0);
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
