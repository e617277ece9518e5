import { Injectable } from '@nestjs/common';
import type { EmployeRecord } from '../domain/employe.fields';
import type { ValeurV2 } from '../domain/valeur-champ';
import { type Member, MemberRepository } from '../persistence/member.repository';

export type { Member };

/** Operations of other contexts on employees who sign, in the ambient transaction. */
@Injectable()
export class MembersService {
  constructor(private readonly repository: MemberRepository) {}

  /**
   * Returns the employee, locked against deletion until the transaction ends.
   *
   * @param alone also prevents other transactions from referring to the employee, such as another signing
   */
  hold(tenantId: string, idExterne: string, alone = false): Promise<Member | undefined> {
    return this.repository.hold(tenantId, idExterne, alone);
  }

  exists(tenantId: string, idExterne: string): Promise<boolean> {
    return this.repository.exists(tenantId, idExterne);
  }

  knowsSyndicat(tenantId: string, idExterne: string): Promise<boolean> {
    return this.repository.knowsSyndicat(tenantId, idExterne);
  }

  /**
   * Returns the employee of this identifier unchanged, or creates one from the record with these custom values.
   *
   * @param idExterne the next free identifier of the form `M-000001` if absent
   * @param valeurs values whose field has changed are left out
   */
  async findOrMake(
    tenantId: string,
    idExterne: string | undefined,
    record: Omit<EmployeRecord, 'idExterne'>,
    valeurs: readonly ValeurV2[],
  ): Promise<Member> {
    for (;;) {
      const id = idExterne ?? (await this.repository.nextNumber(tenantId));
      if (await this.repository.insert(tenantId, { ...record, idExterne: id })) {
        await this.repository.insertValeurs(tenantId, id, valeurs);
        return (await this.hold(tenantId, id))!;
      }
      // The employee exists unless it was just deleted. A number that another request took is not free: try the next one.
      const known = idExterne === undefined ? undefined : await this.hold(tenantId, id);
      if (known) return known;
    }
  }

  /** Makes the employee a member of the union unless it is one. */
  async ensureMembership(tenantId: string, idExterne: string, syndicat: string, since: Date): Promise<void> {
    await this.repository.ensureMembership(tenantId, idExterne, syndicat, since);
  }
}
