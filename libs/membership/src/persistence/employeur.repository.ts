import { Injectable } from '@nestjs/common';
import { KeyedRepository } from '#shared/database/keyed.repository';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION } from '#shared/database/sql-errors';
import { Transactions } from '#shared/database/transactions';
import { Employeur } from '../domain/employeur.entity';

@Injectable()
export class EmployeurRepository extends KeyedRepository<Employeur> {
  constructor(transactions: Transactions) {
    super(transactions, Employeur, [
      {
        state: UNIQUE_VIOLATION,
        constraint: 'employeur_id_externe_key',
        code: 'Employeur.IdExterneDejaUtilise',
        detail: 'An employer with this idExterne exists. Use PUT to change it.',
      },
      {
        // The employees that refer to it hold it.
        state: FOREIGN_KEY_VIOLATION,
        constraint: 'employe_employeur_fkey',
        code: 'Employeur.EmploisActifs',
        detail: 'Employees still work for this employer. Move or delete them first.',
      },
    ]);
  }
}
