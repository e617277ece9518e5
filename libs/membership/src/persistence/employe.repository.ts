import { EMPLOYE } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import { KeyedRepository } from '#platform/database/keyed.repository';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION, violates } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { Employe } from '../domain/employe.entity';
import { IdentifiantRepository } from './identifiant.repository';
import { writeEmployeurV1 } from './emploi.sql';
import { fr, type Text } from '#platform/errors/text';

const UNKNOWN_EMPLOYER: Text = {
  en: 'identifiantExterneEmployeur names no employer. Create the employer first.',
  fr: fr("identifiantExterneEmployeur ne désigne aucun employeur. Créez d'abord l'employeur."),
};

@Injectable()
export class EmployeRepository extends KeyedRepository<Employe> {
  constructor(
    protected override readonly transactions: Transactions,
    private readonly identifiants: IdentifiantRepository,
  ) {
    super(transactions, Employe, [
      {
        state: UNIQUE_VIOLATION,
        constraint: 'employe_id_externe_key',
        error: EMPLOYE.IdExterneDejaUtilise,
      },
      {
        state: FOREIGN_KEY_VIOLATION,
        constraint: 'employe_employeur_fkey',
        error: EMPLOYE.EmployeurInconnu,
        detail: UNKNOWN_EMPLOYER,
      },
      {
        // Signed cards block the deletion of their employee.
        state: FOREIGN_KEY_VIOLATION,
        constraint: 'adhesion_employe_fkey',
        error: EMPLOYE.LieAdhesions,
        detail: {
          en: 'The employee has signed cards. Delete them first.',
          fr: fr("L'employé a des adhésions signées. Supprimez-les d'abord."),
        },
      },
    ]);
  }

  override async delete(row: Employe): Promise<void> {
    await super.delete(row);
    await this.identifiants.giveUpOne(row.tenantId, row.idExterne, row.idUnique);
  }

  /**
   * Writes the employer that V1 shows, for an employee whose employments are rows of `emploi`. For other employees it is a
   * column of the employee.
   *
   * @returns whether the employer has changed
   * @throws DomainError `Employe.EmployeurInconnu`
   */
  async writeEmployeurV1(tenantId: string, idExterne: string, employeur: string | null): Promise<boolean> {
    try {
      const { rows } = await this.transactions.client().query<{ touched: number }>({
        name: 'employe_employeur_v1',
        text: writeEmployeurV1('SELECT $2::text AS id_externe, $3::text AS employeur'),
        values: [tenantId, idExterne, employeur],
      });
      return rows[0]!.touched > 0;
    } catch (error) {
      if (!violates(error, FOREIGN_KEY_VIOLATION, 'emploi_employeur_fkey')) throw error;
      throw new DomainError(EMPLOYE.EmployeurInconnu, UNKNOWN_EMPLOYER);
    }
  }
}
