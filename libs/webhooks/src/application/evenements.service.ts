import { Injectable } from '@nestjs/common';
import type { ModuleName } from '#access/caller';
import type { FeedReading } from '#platform/database/published-feed';
import type { EventType } from '../domain/event.types';
import { assertOpen, openTypes } from '../domain/open-types';
import { EvenementQuery } from '../persistence/evenement.query';

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
    return this.query.feed.open(tenantId, wanted, (until, after, limit) =>
      this.query.page(tenantId, types, until, after, limit),
    );
  }

  purgeExpired(spaces: readonly string[]): Promise<number> {
    return this.query.purgeExpired(spaces);
  }
}
