import { EMPLOYEUR } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import { KeyedRepository } from '#platform/database/keyed.repository';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { Employeur } from '../domain/employeur.entity';
import { BOUNDED_UNIONS } from './bounded-unions';
import { hasEnded, TODAY } from './days.sql';
import { fr, type Text } from '#platform/errors/text';

const ACTIVE: Text = {
  en: 'Employees still work for this employer. End their employments, move or delete them first.',
  fr: fr(
    "Des employés travaillent encore pour cet employeur. Mettez d'abord fin à leurs emplois, déplacez-les ou supprimez-les.",
  ),
};

@Injectable()
export class EmployeurRepository extends KeyedRepository<Employeur> {
  constructor(protected override readonly transactions: Transactions) {
    super(transactions, Employeur, [
      BOUNDED_UNIONS,
      {
        state: UNIQUE_VIOLATION,
        constraint: 'employeur_id_externe_key',
        error: EMPLOYEUR.IdExterneDejaUtilise,
      },
      {
        // Employees that refer to the employer block its deletion.
        state: FOREIGN_KEY_VIOLATION,
        constraint: 'employe_employeur_fkey',
        error: EMPLOYEUR.EmploisActifs,
        detail: ACTIVE,
      },
      {
        state: FOREIGN_KEY_VIOLATION,
        constraint: 'emploi_employeur_fkey',
        error: EMPLOYEUR.EmploisActifs,
        detail: ACTIVE,
      },
    ]);
  }

  /**
   * Deletes the employer's ended employments; other employments block the deletion. Locks employees before their
   * employments, as other writes do, because they could otherwise deadlock.
   */
  override async delete(row: Employeur): Promise<void> {
    const theirs = `m.tenant_id = $1 AND m.identifiant_externe_employeur = $2 AND ${hasEnded(TODAY, 'm.')}`;
    await this.transactions.client().query(
      `WITH locked AS (
         SELECT e.id_externe FROM employe e WHERE e.tenant_id = $1 AND e.id_externe IN (
           SELECT m.id_externe_employe FROM emploi m WHERE ${theirs}
         ) ORDER BY e.id_externe FOR UPDATE
       ), ended AS (
         DELETE FROM emploi m USING locked WHERE ${theirs} AND m.id_externe_employe = locked.id_externe
         RETURNING m.id_externe_employe
       )
       UPDATE employe SET derniere_maj = clock_timestamp()
       WHERE tenant_id = $1 AND id_externe IN (SELECT id_externe_employe FROM ended)`,
      [row.tenantId, row.idExterne],
    );
    await super.delete(row);
  }
}
