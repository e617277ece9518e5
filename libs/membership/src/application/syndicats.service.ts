import { Injectable } from '@nestjs/common';
import type { FetchPage } from '#platform/database/json-items';
import type { ItemInParts } from '#platform/database/large-items';
import { DomainError } from '#platform/errors/domain-error';
import { SYNDICAT } from '../domain/membership.errors';
import { SyndicatQuery } from '../persistence/syndicat.query';

/** Reads of unions (docs/contract.md, "Employees"). */
@Injectable()
export class SyndicatsService {
  constructor(private readonly syndicats: SyndicatQuery) {}

  list(tenantId: string): FetchPage {
    return this.syndicats.pages(tenantId);
  }

  /** @throws DomainError `Syndicat.NotFound` */
  async get(tenantId: string, idExterne: string): Promise<ItemInParts> {
    const item = await this.syndicats.oneInParts(tenantId, idExterne);
    if (!item) throw new DomainError(SYNDICAT.NotFound);
    return item;
  }
}
