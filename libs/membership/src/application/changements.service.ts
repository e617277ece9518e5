import { Injectable } from '@nestjs/common';
import type { FeedReading } from '#platform/database/published-feed';
import type { ChangementFilter } from '../domain/changement.fields';
import { ChangementQuery, LAST } from '../persistence/changement.query';

/** The feed of changes to the master data (docs/contract.md, "Changes"). */
@Injectable()
export class ChangementsService {
  constructor(private readonly query: ChangementQuery) {}

  /**
   * Opens the feed for one request. It includes every change committed by now.
   *
   * @param wanted maximum number of items; all if absent
   */
  async open(
    tenantId: string,
    { entite }: ChangementFilter,
    wanted: number | undefined,
  ): Promise<FeedReading> {
    const reading = await this.query.feed.open(tenantId, wanted, (last, after, limit) =>
      this.query.page(tenantId, entite, last, after, limit),
    );
    // The last position is that of a transaction. A client that has read it continues after all its changes.
    return { ...reading, until: reading.until && { ...reading.until, id: LAST } };
  }

  /** Makes the tables of this month and the next twelve. */
  makeMonths(): Promise<void> {
    return this.query.makeMonths();
  }

  /** Drops the months of which all changes are over 400 days old. @returns the number of tables */
  dropMonths(): Promise<number> {
    return this.query.dropMonths();
  }
}
