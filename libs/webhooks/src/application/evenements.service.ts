import { Injectable } from '@nestjs/common';
import type { ModuleName } from '#access/caller';
import type { Page, Position } from '#platform/database/json-items';
import type { EventType } from '../domain/event.types';
import { assertOpen, openTypes } from '../domain/open-types';
import { EvenementQuery } from '../persistence/evenement.query';

/** The feed as one request reads it. */
export interface FeedReading {
  /** The last place that it reads; undefined while there is none. */
  readonly until: Position | undefined;
  fetch(after: Position | undefined, limit: number): Promise<Page>;
}

/** Feed of events for partners without an endpoint (docs/contract.md, "Feed"). */
@Injectable()
export class EvenementsService {
  constructor(private readonly query: EvenementQuery) {}

  /**
   * Opens the feed for one reading. What is committed by now is in it.
   *
   * @param type only events of it; all that the key may read if absent
   * @param wanted items that are read at most; all if absent
   * @throws DomainError `Module.NonActif` where the type belongs to a module that the key may not use
   */
  async open(
    tenantId: string,
    modules: readonly ModuleName[],
    type: EventType | null | undefined,
    wanted: number | undefined,
  ): Promise<FeedReading> {
    if (type) assertOpen([type], modules);
    const types = type ? [type] : openTypes(modules);
    let mayBeMore = await this.query.publish(tenantId);
    while (mayBeMore && !wanted) mayBeMore = await this.query.publish(tenantId);
    const until = await this.query.last(tenantId);
    const page = async (
      after: Position | undefined,
      limit: number,
      last: Position | undefined,
    ): Promise<Page> => (last ? this.query.page(tenantId, types, last, after, limit) : { items: '' });
    return {
      until,
      fetch: async (after, limit) => {
        let found = await page(after, limit, until);
        // A backlog gets its places as far as the page needs them: an empty one must mean that nothing is new.
        while (mayBeMore && !found.next) {
          mayBeMore = await this.query.publish(tenantId);
          found = await page(after, limit, await this.query.last(tenantId));
        }
        return found;
      },
    };
  }

  purgeExpired(): Promise<number> {
    return this.query.purgeExpired();
  }
}
