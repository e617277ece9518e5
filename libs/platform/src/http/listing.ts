import type { FetchPage, Page, Position } from '../database/json-items';
import { hash } from 'node:crypto';
import { invalidRequest } from '../errors/domain-error';
import { isGuid } from '../input/faults';
import { text } from '../input/field';
import type { KeyedLimit } from '../limits/keyed-limit';
import { Input } from '../input/field.decorator';
import { fr } from '../errors/text';

/** Opt-in paging of every list (docs/contract.md, "Paging"). */
export class PagingQuery {
  @Input({
    kind: 'integer',
    min: 1,
    max: 1000,
    description:
      'Maximum number of items of a page. A page may have fewer, or none, if its items are large or few pass a filter: the list ends only when there is no `next` link. Without `limite`, the whole list is streamed.',
    example: 100,
  })
  limite?: number;

  @Input(text(200, { description: 'Start of the page: the value in the `next` link of the previous page.' }))
  curseur?: string;
}

/** A list that grows at its end. Each response links to the items after it, existing or future. */
export interface Feed {
  /** The last position that is read; undefined while there is none. */
  readonly until: Position | undefined;
}

/** How a list is sent. */
interface ListingOptions {
  /** Maximum number of items fetched at a time for a list without `limite`. */
  readonly runLength?: number;
  /** Set for a list that clients follow: there is always a `next` link. */
  readonly feed?: Feed;
  /**
   * The queue of all parts of the list, if its first part costs as much as the others. Without it, the first part is read at
   * once, and the others wait in `listParts`.
   */
  readonly line?: KeyedLimit;
  /** Text before and after the items, if the response is not an array of them. Called when the first items are there. */
  readonly around?: () => Around;
}

/** A list that a handler returns. `AnswerInterceptor` sends it. */
export class Listing {
  /** @param fetch called again until no `next` is left */
  constructor(
    readonly paging: PagingQuery,
    readonly fetch: FetchPage,
    readonly options: ListingOptions,
  ) {}
}

/** Text before and after the items of a list. */
export type Around = readonly [before: string, after: string];

/** Returns a list that is read page by page. */
export function listOf(paging: PagingQuery, fetch: FetchPage, options: ListingOptions = {}): Listing {
  return new Listing(paging, fetch, options);
}

/**
 * Makes a page of a list from its rows, of which there is one more than `limit` if the list continues.
 *
 * @param isCut whether others may follow anyway
 */
export function pageOf<R extends { readonly dateCreation: Date; readonly id: string }>(
  rows: readonly R[],
  limit: number,
  toItem: (row: R) => object,
  isCut = false,
): Page {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map((row) => JSON.stringify(toItem(row))),
    ...(last && (isCut || rows.length > limit) ? { next: { date: last.dateCreation, id: last.id } } : {}),
  };
}

/**
 * Encodes a position as the value of `curseur`.
 *
 * @param owner what the position belongs to: the list, its data space and its filters
 */
export function cursorOf({ date, id }: Position, owner: string): string {
  return Buffer.from(`${date.getTime()}.${id}.${markOf(owner)}`).toString('base64url');
}

/** A mark that no other list, data space or filter has. */
function markOf(owner: string): string {
  return hash('sha256', owner, 'base64url').slice(0, 12);
}

const CURSOR = /^(-?\d{1,15})\.([0-9a-f-]{36})(?:\.([\w-]{12}))?$/;

/**
 * Decodes the value of `curseur`.
 *
 * @param owner as in `cursorOf`
 * @param mayBeUnmarked also takes a cursor of a release before marks
 * @throws DomainError `Requete.Invalide`
 */
export function parseCursor(cursor: string, owner: string, mayBeUnmarked = false): Position {
  const [, time, id, mark] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const isOwn = mark === undefined ? mayBeUnmarked : mark === markOf(owner);
  const date = new Date(Number(time));
  const year = date.getUTCFullYear();
  if (!isOwn || !id || !isGuid(id) || !(year >= 1 && year <= 9999)) {
    const detail = {
      en: 'is not a cursor of this list with these filters; take it from the `next` link of an answer, or leave it out',
      fr: fr(
        "n'est pas un curseur de cette liste avec ces filtres; prenez-le dans le lien `next` d'une réponse, ou omettez-le",
      ),
    };
    throw invalidRequest([{ pointer: '?curseur', code: 'cursor', detail }]);
  }
  return { date, id };
}
