import type { AuditedAction } from '#platform/audit/audited-action';
import type { Actor } from '#platform/audit/actor';
import type { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import type { Transactions } from '#platform/database/transactions';
import type { DomainError } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';

/** A row that the service knows by `idUnique`. */
interface Row<R> {
  readonly idUnique: string;
  replaceWith(record: R): void;
}

/** A kind of master data: its repository, its reads, its new rows and its error for a missing row. */
export interface KeyedKind<E, R, F> {
  readonly actions: Readonly<Record<'creer' | 'modifier' | 'supprimer', AuditedAction>>;
  readonly repository: {
    insert(row: E): Promise<string>;
    lock(tenantId: string, key: string): Promise<E | null>;
    update(row: E): Promise<void>;
    delete(row: E): Promise<void>;
  };
  readonly query: {
    one(tenantId: string, key: string): Promise<Json | undefined>;
    list(tenantId: string, filter: F): FetchPage;
  };
  /** The partner's identifier of a record. It never changes. */
  readonly keyOf: (record: R) => string;
  /** Makes a row with its keys only. */
  readonly make: (tenantId: string, record: R) => E;
  readonly notFound: (tenantId: string, key: string) => DomainError | Promise<DomainError>;
}

/**
 * Master data of a tenant under the partner's identifiers: created, replaced, deleted one at a time, listed
 * (docs/contract.md, "HTTP conventions"). Each write throws the errors named below and those of the repository's
 * constraints.
 */
export class KeyedRecords<E extends Row<R>, R, F = void> {
  constructor(
    protected readonly transactions: Transactions,
    private readonly audit: AuditTrail,
    private readonly kind: KeyedKind<E, R, F>,
  ) {}

  list(tenantId: string, filter: F): FetchPage {
    return this.kind.query.list(tenantId, filter);
  }

  /** @throws DomainError the kind's `NotFound` */
  async get(tenantId: string, key: string): Promise<Json> {
    return (await this.kind.query.one(tenantId, key)) ?? this.missing(tenantId, key);
  }

  async create(tenantId: string, actor: Actor, record: R): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const row = this.kind.make(tenantId, record);
      row.replaceWith(record);
      const idUnique = await this.kind.repository.insert(row);
      this.note(tenantId, actor, 'creer', idUnique);
      return this.get(tenantId, this.kind.keyOf(record));
    });
  }

  /**
   * Replaces every writable field. A record that changes nothing keeps its `derniereMAJ`.
   *
   * @throws DomainError the kind's `NotFound`, `Precondition.Echouee`
   */
  async replace(tenantId: string, actor: Actor, record: R, ifMatch?: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const key = this.kind.keyOf(record);
      const row = await this.lock(tenantId, key);
      const before = await this.get(tenantId, key);
      assertIfMatch(ifMatch, before);
      const known = JSON.stringify(row);
      row.replaceWith(record);
      if (JSON.stringify(row) === known) return before;
      await this.kind.repository.update(row);
      this.note(tenantId, actor, 'modifier', row.idUnique);
      return this.get(tenantId, key);
    });
  }

  /** @throws DomainError the kind's `NotFound`, `Precondition.Echouee` */
  async delete(tenantId: string, actor: Actor, key: string, ifMatch?: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      const row = await this.lock(tenantId, key);
      assertIfMatch(ifMatch, await this.get(tenantId, key));
      await this.beforeDelete(row);
      await this.kind.repository.delete(row);
      this.note(tenantId, actor, 'supprimer', row.idUnique);
    });
  }

  /** Rejects deletions that constraints allow, and removes references to the row, which is locked. */
  protected async beforeDelete(_row: E): Promise<void> {
    // Most kinds need no further check.
  }

  /** Adds a change of a row to the audit trail. */
  protected note(
    tenantId: string,
    actor: Actor,
    verb: 'creer' | 'modifier' | 'supprimer',
    idUnique: string,
  ): void {
    this.audit.record(tenantId, actor, this.kind.actions[verb], [idUnique]);
  }

  private async lock(tenantId: string, key: string): Promise<E> {
    return (await this.kind.repository.lock(tenantId, key)) ?? this.missing(tenantId, key);
  }

  private async missing(tenantId: string, key: string): Promise<never> {
    throw await this.kind.notFound(tenantId, key);
  }
}
