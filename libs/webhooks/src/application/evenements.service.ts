import { Injectable } from '@nestjs/common';
import type { ModuleName } from '#access/caller';
import type { Page, Position } from '#platform/database/json-items';
import type { EventType } from '../domain/event.types';
import { assertOpen, openTypes } from '../domain/open-types';
import { EvenementQuery } from '../persistence/evenement.query';

/** The feed for one request. */
export interface FeedReading {
  /** The last position that it reads; undefined for an empty feed. */
  readonly until: Position | undefined;
  fetch(after: Position | undefined, limit: number): Promise<Page>;
}

/** Feed of events for partners without an endpoint (docs/contract.md, "Feed"). */
@Injectable()
export class EvenementsService {
  constructor(private readonly query: EvenementQuery) {}

  /**
   * Opens the feed for one request. It includes every event committed by now.
   *
   * @param type only events of this type; if absent, all that the key may read
   * @param wanted maximum number of items; all if absent
   * @throws DomainError `Module.NonActif` if the type belongs to a module that the key may not use
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
    let until = await this.query.last(tenantId);
    return {
      until,
      fetch: async (after, limit) => {
        for (;;) {
          const found = until ? await this.query.page(tenantId, types, until, after, limit) : { items: '' };
          if (found.next || !mayBeMore) return found;
          // Publishes a backlog as far as the page needs it, because an empty page must mean that there are no new events.
          mayBeMore = await this.query.publish(tenantId);
          until = await this.query.last(tenantId);
        }
      },
    };
  }

  purgeExpired(): Promise<number> {
    return this.query.purgeExpired();
  }
}
