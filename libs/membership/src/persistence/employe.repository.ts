import { Injectable } from '@nestjs/common';
import { KeyedRepository } from '#shared/database/keyed.repository';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION } from '#shared/database/sql-errors';
import { Transactions } from '#shared/database/transactions';
import { Employe } from '../domain/employe.entity';

@Injectable()
export class EmployeRepository extends KeyedRepository<Employe> {
  constructor(transactions: Transactions) {
    super(transactions, Employe, [
      {
        state: UNIQUE_VIOLATION,
        constraint: 'employe_id_externe_key',
        code: 'Employe.IdExterneDejaUtilise',
        detail: 'An employee with this idExterne exists. Use PUT to change it.',
      },
      {
        state: FOREIGN_KEY_VIOLATION,
        constraint: 'employe_employeur_fkey',
        code: 'Employe.EmployeurInconnu',
        detail: 'identifiantExterneEmployeur names no employer. Create the employer first.',
      },
    ]);
  }
}
