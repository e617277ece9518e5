import type { EntityTarget, FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';
import { DomainError } from '../errors/domain-error';
import type { ErrorDefinition } from '../errors/error-definition';
import { violates } from '../errors/sql-errors';
import type { Transactions } from './transactions';
import type { Text } from '../errors/text';

/** A row that partners know by `idExterne` and the service by `idUnique`. */
export interface KeyedEntity {
  tenantId: string;
  idUnique: string;
  idExterne: string;
}

/** A constraint of the table whose breach is a refusal by a rule. */
export interface ConstraintRefusal {
  readonly state: string;
  readonly constraint: string;
  readonly error: ErrorDefinition;
  readonly detail?: Text;
}

/** Loads and saves one kind of master data, one row at a time, in the ambient transaction. */
export class KeyedRepository<E extends KeyedEntity> {
  /** @param refusals rules that the database checks, because two concurrent requests could otherwise both pass them */
  constructor(
    protected readonly transactions: Transactions,
    private readonly entity: EntityTarget<E>,
    private readonly refusals: readonly ConstraintRefusal[],
  ) {}

  /** @returns the row's idUnique @throws DomainError of the constraint that refuses the row */
  async insert(row: E): Promise<string> {
    const inserted = await this.checked(() =>
      this.transactions
        .manager()
        .createQueryBuilder()
        .insert()
        .into(this.entity)
        .values(row as QueryDeepPartialEntity<E>)
        .returning('id_unique')
        .execute(),
    );
    return (inserted.raw as [{ id_unique: string }])[0].id_unique;
  }

  /**
   * Writes every column and sets `derniereMAJ`, to the time of the write and not of the transaction's start: the row is
   * locked by now, so its time never goes back. @throws DomainError of the constraint that refuses the row
   */
  async update(row: E): Promise<void> {
    const changed = {
      ...row,
      derniereMAJ: () => 'clock_timestamp()',
    } as unknown as QueryDeepPartialEntity<E>;
    await this.checked(() => this.transactions.manager().update(this.entity, this.key(row), changed));
  }

  /** The row, locked until the transaction ends. */
  async lock(tenantId: string, idExterne: string): Promise<E | null> {
    const where = { tenantId, idExterne } as FindOptionsWhere<E>;
    return this.transactions.manager().findOne(this.entity, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** @throws DomainError of the constraint that holds the row */
  async delete(row: E): Promise<void> {
    await this.checked(() => this.transactions.manager().delete(this.entity, this.key(row)));
  }

  private key({ tenantId, idUnique }: E): FindOptionsWhere<E> {
    return { tenantId, idUnique } as FindOptionsWhere<E>;
  }

  private async checked<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      const refusal = this.refusals.find(({ state, constraint }) => violates(error, state, constraint));
      throw refusal ? new DomainError(refusal.error, refusal.detail) : error;
    }
  }
}
