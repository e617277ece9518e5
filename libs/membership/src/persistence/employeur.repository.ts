import { Injectable } from '@nestjs/common';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION, violates } from '#shared/database/sql-errors';
import { Transactions } from '#shared/database/transactions';
import { DomainError } from '#shared/errors/domain-error';
import { Employeur } from '../domain/employeur.entity';

/** Employers, one at a time, in the ambient transaction. */
@Injectable()
export class EmployeurRepository {
  constructor(private readonly transactions: Transactions) {}

  /** @throws DomainError `Employeur.IdExterneDejaUtilise` */
  async insert(employeur: Employeur): Promise<void> {
    try {
      await this.transactions.manager().insert(Employeur, employeur);
    } catch (error) {
      if (!violates(error, UNIQUE_VIOLATION, 'employeur_id_externe_key')) throw error;
      throw new DomainError(
        'Employeur.IdExterneDejaUtilise',
        'An employer with this idExterne exists. Use PUT to change it.',
      );
    }
  }

  async update({ tenantId, idUnique, ...columns }: Employeur): Promise<void> {
    const changed = { ...columns, derniereMAJ: () => 'now()' };
    await this.transactions.manager().update(Employeur, { tenantId, idUnique }, changed);
  }

  /** The employer, locked until the transaction ends. */
  async lock(tenantId: string, idExterne: string): Promise<Employeur | null> {
    return this.transactions
      .manager()
      .findOne(Employeur, { where: { tenantId, idExterne }, lock: { mode: 'pessimistic_write' } });
  }

  /** @throws DomainError `Employeur.EmploisActifs` */
  async delete({ tenantId, idUnique }: Employeur): Promise<void> {
    try {
      await this.transactions.manager().delete(Employeur, { tenantId, idUnique });
    } catch (error) {
      if (!violates(error, FOREIGN_KEY_VIOLATION, 'employe_employeur_fkey')) throw error;
      const detail = 'Employees still work for this employer. Move or delete them first.';
      throw new DomainError('Employeur.EmploisActifs', detail);
    }
  }
}
