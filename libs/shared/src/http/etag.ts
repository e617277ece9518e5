import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { DomainError } from '../errors/domain-error';

/** JSON text as PostgreSQL made it, ready for the wire. */
export type Json = string;

/** A strong validator: it changes with any byte of a representation. */
export function etagOf(representation: Json | Buffer): string {
  return `"${hash('sha1', representation, 'base64url')}"`;
}

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

/**
 * Checks `If-Match` against the item as it is, inside the transaction that has locked it.
 *
 * @param ifMatch the header: `*` or a list of ETags; absent demands nothing
 * @throws DomainError `Precondition.Echouee`
 */
export function assertIfMatch(ifMatch: string | undefined, current: Json): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  // A weak validator never matches here (RFC 9110, section 13.1.1).
  const accepted = ifMatch.split(',').map((tag) => tag.trim());
  if (!accepted.includes(etagOf(current))) {
    throw new DomainError(
      'Precondition.Echouee',
      'The resource has changed since it was read: read it again and retry with its ETag.',
    );
  }
}
