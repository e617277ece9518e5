import { Injectable } from '@nestjs/common';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION, violates } from '#shared/database/sql-errors';
import { Transactions } from '#shared/database/transactions';
import { DomainError } from '#shared/errors/domain-error';
import { Employe } from '../domain/employe.entity';

/** Employees, one at a time, in the ambient transaction. */
@Injectable()
export class EmployeRepository {
  constructor(private readonly transactions: Transactions) {}

  /** @throws DomainError `Employe.IdExterneDejaUtilise`, `Employe.EmployeurInconnu` */
  async insert(employe: Employe): Promise<void> {
    await this.checked(() => this.transactions.manager().insert(Employe, employe));
  }

  /** @throws DomainError `Employe.EmployeurInconnu` */
  async update({ tenantId, idUnique, ...columns }: Employe): Promise<void> {
    const changed = { ...columns, derniereMAJ: () => 'now()' };
    await this.checked(() => this.transactions.manager().update(Employe, { tenantId, idUnique }, changed));
  }

  /** The employee, locked until the transaction ends. */
  async lock(tenantId: string, idExterne: string): Promise<Employe | null> {
    return this.transactions
      .manager()
      .findOne(Employe, { where: { tenantId, idExterne }, lock: { mode: 'pessimistic_write' } });
  }

  async delete({ tenantId, idUnique }: Employe): Promise<void> {
    await this.transactions.manager().delete(Employe, { tenantId, idUnique });
  }

  private async checked(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (violates(error, UNIQUE_VIOLATION, 'employe_id_externe_key')) {
        throw new DomainError(
          'Employe.IdExterneDejaUtilise',
          'An employee with this idExterne exists. Use PUT to change it.',
        );
      }
      if (violates(error, FOREIGN_KEY_VIOLATION, 'employe_employeur_fkey')) {
        const detail = 'identifiantExterneEmployeur names no employer. Create the employer first.';
        throw new DomainError('Employe.EmployeurInconnu', detail);
      }
      throw error;
    }
  }
}
