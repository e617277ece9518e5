import type { AuditedAction } from '#platform/audit/audited-action';
import type { Actor } from '#platform/audit/actor';
import type { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import type { KeyedEntity, KeyedRepository } from '#platform/database/keyed.repository';
import type { Transactions } from '#platform/database/transactions';
import type { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';

/** A kind of master data: its repository, its reads, its new rows and its error for a missing row. */
export interface KeyedKind<E, R, F> {
  readonly actions: Readonly<Record<'creer' | 'modifier' | 'supprimer', AuditedAction>>;
  readonly repository: KeyedRepository<E & KeyedEntity>;
  readonly query: {
    one(tenantId: string, idExterne: string): Promise<Json | undefined>;
    list(tenantId: string, filter: F): FetchPage;
  };
  /** Makes a row with its keys only. */
  readonly make: (
    keys: Pick<KeyedEntity, 'tenantId' | 'idExterne'>,
  ) => E & KeyedEntity & { replaceWith(record: R): void };
  readonly notFound: () => DomainError;
}

/**
 * Master data of a tenant under the partner's identifiers: created, replaced, deleted one at a time, listed
 * (docs/contract.md, "HTTP conventions"). Each write throws the errors named below and those of the repository's
 * constraints.
 */
export class KeyedRecords<
  E extends KeyedEntity & { replaceWith(record: R): void },
  R extends { idExterne: string },
  F,
> {
  constructor(
    protected readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly kind: KeyedKind<E, R, F>,
  ) {}

  list(tenantId: string, filter: F): FetchPage {
    return this.kind.query.list(tenantId, filter);
  }

  /** @throws DomainError the kind's `NotFound` */
  async get(tenantId: string, idExterne: string): Promise<Json> {
    return (await this.kind.query.one(tenantId, idExterne)) ?? this.missing();
  }

  async create(tenantId: string, actor: Actor, record: R): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const row = this.kind.make({ tenantId, idExterne: record.idExterne });
      row.replaceWith(record);
      const idUnique = await this.kind.repository.insert(row);
      this.note({ tenantId, idUnique }, actor, 'creer');
      return this.get(tenantId, record.idExterne);
    });
  }

  /**
   * Replaces every writable field. A record that changes nothing keeps its `derniereMAJ`.
   *
   * @throws DomainError the kind's `NotFound`, `Precondition.Echouee`
   */
  async replace(tenantId: string, actor: Actor, record: R, ifMatch?: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const row = await this.lock(tenantId, record.idExterne);
      const before = await this.get(tenantId, record.idExterne);
      assertIfMatch(ifMatch, before);
      const known = JSON.stringify(row);
      row.replaceWith(record);
      if (JSON.stringify(row) === known) return before;
      await this.kind.repository.update(row);
      this.note(row, actor, 'modifier');
      return this.get(tenantId, record.idExterne);
    });
  }

  /** @throws DomainError the kind's `NotFound`, `Precondition.Echouee` */
  async delete(tenantId: string, actor: Actor, idExterne: string, ifMatch?: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      const row = await this.lock(tenantId, idExterne);
      assertIfMatch(ifMatch, await this.get(tenantId, idExterne));
      await this.beforeDelete(row);
      await this.kind.repository.delete(row);
      this.note(row, actor, 'supprimer');
    });
  }

  /** Rejects deletions that constraints allow, and removes references to the row, which is locked. */
  protected async beforeDelete(_row: E): Promise<void> {
    // Most kinds need no further check.
  }

  /** Adds a change of a row to the audit trail. */
  protected note(
    { tenantId, idUnique }: Pick<KeyedEntity, 'tenantId' | 'idUnique'>,
    actor: Actor,
    verb: 'creer' | 'modifier' | 'supprimer',
  ): void {
    this.audit.record(tenantId, actor, this.kind.actions[verb], [idUnique]);
  }

  private async lock(tenantId: string, idExterne: string): Promise<E> {
    return (await this.kind.repository.lock(tenantId, idExterne)) ?? this.missing();
  }

  private missing(): never {
    throw this.kind.notFound();
  }
}
