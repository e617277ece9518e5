import { PRECONDITION } from '../errors/platform.errors';
import { hash } from 'node:crypto';
import { DomainError } from '../errors/domain-error';
import { fr } from '../errors/text';

/** A strong validator: it changes with any byte of a representation. */
export function etagOf(representation: string | Buffer): string {
  return `"${hash('sha1', representation, 'base64url')}"`;
}

/**
 * Checks `If-Match` against the item as it is, inside the transaction that has locked it.
 *
 * @param ifMatch the header: `*` or a list of ETags; absent demands nothing
 * @throws DomainError `Precondition.Echouee`
 */
export function assertIfMatch(ifMatch: string | undefined, current: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  // A weak validator never matches here (RFC 9110, section 13.1.1).
  const accepted = ifMatch.split(',').map((tag) => tag.trim());
  if (!accepted.includes(etagOf(current))) {
    throw new DomainError(PRECONDITION.Echouee, {
      en: 'The resource has changed since it was read: read it again and retry with its ETag.',
      fr: fr('La ressource a changé depuis sa lecture : relisez-la et réessayez avec son ETag.'),
    });
  }
}
