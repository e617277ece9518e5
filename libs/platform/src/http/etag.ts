import type { Request, Response } from 'express';
import type { Json } from '../database/json';
import { etagOf } from '../input/if-match';

/** Whether a GET or HEAD names the ETag in `If-None-Match`, so that 304 is its answer. */
export function holds(request: Request, tag: string): boolean {
  const held = request.get('if-none-match');
  if (held === undefined || !['GET', 'HEAD'].includes(request.method)) return false;
  // Weak comparison (RFC 9110, section 13.1.2).
  return held.trim() === '*' || held.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

/**
 * Answers one item with its ETag, or 304 without a body to a read whose `If-None-Match` names it. Decided here and not
 * by Express, which takes a request's `Cache-Control: no-cache` (Node's fetch adds it) for a wish to ignore the ETag.
 */
export function withEtag(response: Response, item: Json): Json | undefined {
  const tag = etagOf(item);
  response.setHeader('ETag', tag);
  if (!holds(response.req, tag)) return item;
  response.status(304);
  return undefined;
}
