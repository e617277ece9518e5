import { Injectable } from '@nestjs/common';
import { KeyedRepository } from '#shared/database/keyed.repository';
import { UNIQUE_VIOLATION } from '#shared/database/sql-errors';
import { Transactions } from '#shared/database/transactions';
import { ObjetConsentement } from '../domain/objet-consentement.entity';

@Injectable()
export class ObjetConsentementRepository extends KeyedRepository<ObjetConsentement> {
  constructor(transactions: Transactions) {
    super(transactions, ObjetConsentement, [
      {
        state: UNIQUE_VIOLATION,
        constraint: 'objet_consentement_id_externe_key',
        code: 'ObjetConsentement.IdExterneDejaUtilise',
        detail: 'A consent object with this idExterne exists. Use PUT to change it.',
      },
    ]);
  }
}
