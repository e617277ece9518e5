import { SEANCE_ACTIONS } from '../domain/meeting.actions';
import { Injectable } from '@nestjs/common';
import { MemberRepository, NAMES_NO } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { Page, Position } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import { assertPresences } from '../domain/presences.rules';
import type { PresencesRecord, SeanceFilter, SeanceRecord } from '../domain/seance.fields';
import { SeanceQuery } from '../persistence/seance.query';
import { noSeance, SeanceRepository } from '../persistence/seance.repository';

/** A new meeting. */
export interface Seance {
  readonly id: string;
  readonly item: Json;
}

/** Meetings and their participation (docs/contract.md, "Meetings"). */
@Injectable()
export class SeancesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly query: SeanceQuery,
    private readonly repository: SeanceRepository,
    private readonly members: MemberRepository,
    private readonly audit: AuditTrail,
  ) {}

  page(tenantId: string, filter: SeanceFilter, after: Position | undefined, limit: number): Promise<Page> {
    return this.query.page(tenantId, filter, after, limit);
  }

  /** @throws DomainError `Seance.NotFound` */
  async get(tenantId: string, id: string): Promise<Json> {
    return existing(await this.query.one(tenantId, id));
  }

  /** @throws DomainError `Seance.NotFound` */
  async participation(tenantId: string, id: string): Promise<Json> {
    return existing(await this.query.participation(tenantId, id));
  }

  /**
   * @param id given by the service if absent
   * @throws DomainError `Requete.Invalide` that names an unknown union
   */
  async create(tenantId: string, actor: Actor, record: SeanceRecord, id?: string): Promise<Seance> {
    return this.transactions.run({ tenantId }, async () => {
      const { syndicatIdExterne } = record;
      if (syndicatIdExterne != null && !(await this.members.knowsSyndicat(tenantId, syndicatIdExterne)))
        throw invalidRequest([
          { pointer: '/syndicatIdExterne', code: 'reference', detail: NAMES_NO.syndicat },
        ]);
      const made = await this.repository.insert(tenantId, record, id);
      this.audit.record(tenantId, actor, SEANCE_ACTIONS.creer, [made]);
      return { id: made, item: await this.get(tenantId, made) };
    });
  }

  /**
   * Replaces the recorded participation of a meeting.
   *
   * @returns the participation
   * @throws DomainError `Seance.NotFound`, `Precondition.Echouee`, `Requete.Invalide` for numbers that contradict each other
   */
  async recordPresences(
    tenantId: string,
    actor: Actor,
    id: string,
    record: PresencesRecord,
    ifMatch?: string,
  ): Promise<Json> {
    assertPresences(record);
    return this.transactions.run({ tenantId }, async () => {
      await this.repository.lock(tenantId, id);
      assertIfMatch(ifMatch, await this.participation(tenantId, id));
      await this.repository.updatePresences(tenantId, id, record);
      this.audit.record(tenantId, actor, SEANCE_ACTIONS.presences, [id]);
      return this.participation(tenantId, id);
    });
  }
}

function existing(item: Json | undefined): Json {
  if (item === undefined) throw noSeance();
  return item;
}
