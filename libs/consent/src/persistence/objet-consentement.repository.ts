import { OBJET_CONSENTEMENT } from '../domain/consent.errors';
import { Injectable } from '@nestjs/common';
import { KeyedRepository } from '#platform/database/keyed.repository';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { ObjetConsentement } from '../domain/objet-consentement.entity';
import { fr } from '#platform/errors/text';

@Injectable()
export class ObjetConsentementRepository extends KeyedRepository<ObjetConsentement> {
  constructor(transactions: Transactions) {
    super(transactions, ObjetConsentement, [
      {
        state: UNIQUE_VIOLATION,
        constraint: 'objet_consentement_id_externe_key',
        error: OBJET_CONSENTEMENT.IdExterneDejaUtilise,
      },
      // References that block a deletion: the history, requests that wait for conciliation, and forms.
      ...['consentement_objet_fkey', 'consentement_demande_objet_fkey', 'formulaire_objet_objet_fkey'].map(
        (constraint) => ({
          state: FOREIGN_KEY_VIOLATION,
          constraint,
          error: OBJET_CONSENTEMENT.Utilise,
          detail: {
            en: 'The object cannot be deleted, because consents, requests or forms refer to it.',
            fr: fr(
              "L'objet ne peut pas être supprimé, car des consentements, des demandes ou des formulaires y font référence.",
            ),
          },
        }),
      ),
    ]);
  }
}
