import { Injectable } from '@nestjs/common';
import {
  type DeletedEmploye,
  type DeletionNotesWriter,
  IdentifiantRepository,
  type Member,
  MemberRepository,
} from '#membership';
import type { Person, Tenure } from '#membership/relations';
import { type AncienEmploye, AncienEmployeRepository } from '../persistence/ancien-employe.repository';
import { type KnownPerson, PersonalDataRepository } from '../persistence/personal-data.repository';

/** Finds persons by external identifier, also those whom the partner has deleted, in the ambient transaction. */
@Injectable()
export class PersonFinder implements DeletionNotesWriter {
  constructor(
    private readonly members: MemberRepository,
    private readonly identifiants: IdentifiantRepository,
    private readonly anciens: AncienEmployeRepository,
    private readonly repository: PersonalDataRepository,
  ) {}

  /**
   * Returns the employee of the identifier or, without one, the persons who had it before the partner deleted them. Locks
   * the rows that another request could change.
   *
   * @param supprime returns only the deleted persons, also if an employee has the identifier
   */
  async find(tenantId: string, idExterne: string, supprime: boolean): Promise<Person | undefined> {
    // The notes are read after this lock, which waits for a deletion by the partner.
    const employe = await this.members.hold(tenantId, idExterne, true);
    if (employe && !supprime) {
      const known = await this.present({ tenantId, idExterne, idUnique: employe.idUnique });
      return this.repository.find(known, 'FOR UPDATE');
    }
    const holder = employe ? undefined : await this.identifiants.holder(tenantId, idExterne);
    if (holder?.idExterne != null && !supprime) return this.find(tenantId, holder.idExterne, false);
    // Rows of a holder who still exists belong to the present employee.
    const deleted = holder?.idExterne === null ? holder.employeId : undefined;
    const anciens = await this.anciens.of(tenantId, [idExterne], deleted);
    if (anciens.length === 0) return undefined;
    const noted = merged(anciens);
    const anciensIdentifiants = (await this.identifiants.formerOf(tenantId, noted.employes)).filter(
      (ancien) => ancien !== idExterne,
    );
    // Rows that name only the identifier belong to the employee who has it now.
    const ofIdentifier = { idExterne: employe ? null : idExterne, employe: null, anciensIdentifiants };
    const tenures = await this.tenures(tenantId, noted.employes, anciens);
    const known = { tenantId, ...ofIdentifier, ...noted, tenures };
    return this.repository.find(known, 'FOR UPDATE');
  }

  /** Notes an employee, whose row is locked, before its deletion. One note has all deletions of a person. */
  async note(employe: DeletedEmploye): Promise<void> {
    const known = await this.present(employe);
    // Without locks: a decision on a request locks it before its employee.
    const { employes, found } = await this.repository.find(known, '');
    const { tenantId, idExterne } = employe;
    await this.anciens.replace(tenantId, idExterne, known.anciens, { employes, lignes: found });
  }

  /**
   * Notes that the employee `conserve` was also `absorbe`, whose rows it is about to get.
   *
   * @param votants voters of `absorbe` or `conserve` that have stayed without an employee
   */
  async join(
    tenantId: string,
    conserve: Pick<Member, 'idExterne' | 'idUnique'>,
    absorbe: Pick<Member, 'idExterne' | 'idUnique'>,
    votants: readonly string[],
  ): Promise<void> {
    const known = await this.present({ tenantId, ...absorbe });
    const { employes, found } = await this.repository.find(known, '');
    const lignes = { ...found, votants: [...(found.votants ?? []), ...votants] };
    await this.anciens.replace(tenantId, conserve.idExterne, known.anciens, {
      ...{ employes: [conserve.idUnique, ...employes], lignes },
    });
  }

  /** Notes employees that an undo has removed. No row of another table references them. */
  async noteAll(tenantId: string, employes: string): Promise<void> {
    await this.anciens.insertAll(tenantId, employes, this.repository.nothingFound);
    await this.identifiants.giveUpAll(tenantId, employes);
  }

  /** The employee, and the notes about earlier deletions of the same person. */
  private async present({ tenantId, idExterne, idUnique }: DeletedEmploye): Promise<KnownPerson> {
    const anciensIdentifiants = await this.identifiants.formerOf(tenantId, [idUnique]);
    const employe = {
      ...{ tenantId, idExterne, employe: idExterne, employes: [idUnique], anciensIdentifiants },
      ...{ anciens: [], found: {}, tenures: await this.tenures(tenantId, [idUnique], []) },
    };
    const anciens = await this.anciens.of(tenantId, [idExterne, ...anciensIdentifiants], idUnique);
    if (anciens.length === 0) return employe;
    const names = await this.repository.names(employe);
    const same: AncienEmploye[] = [];
    for (const ancien of anciens) {
      // A merge has noted that it is the person.
      if (ancien.employes.includes(idUnique)) {
        same.push(ancien);
        continue;
      }
      const known = { ...employe, idExterne: null, employe: null, ...merged([ancien]) };
      const others = await this.repository.names(known);
      // If it was another person, rows with other names have stayed.
      if (others.length === 0 || others.some((name) => names.includes(name))) same.push(ancien);
    }
    const { employes, ...noted } = merged(same);
    const all = [idUnique, ...employes.filter((id) => id !== idUnique)];
    return { ...employe, ...noted, employes: all, tenures: await this.tenures(tenantId, all, same) };
  }

  /** Returns the identifiers that the person had, and when. Earlier releases kept the last one of a deleted person in the note only. */
  private async tenures(
    tenantId: string,
    employes: readonly string[],
    anciens: readonly AncienEmploye[],
  ): Promise<Tenure[]> {
    const tenures = await this.identifiants.tenures(tenantId, employes);
    const noted = anciens.filter(({ idExterne }) =>
      tenures.every((tenure) => tenure.idExterne !== idExterne),
    );
    const all = [
      ...tenures,
      ...noted.map(({ idExterne, jusqua }) => ({ idExterne, depuis: '-infinity', jusqua })),
    ];
    return this.anciens.bounded(tenantId, all, anciens);
  }
}

function merged(anciens: readonly AncienEmploye[]): Pick<KnownPerson, 'anciens' | 'employes' | 'found'> {
  const found: Record<string, string[]> = {};
  for (const { lignes } of anciens)
    for (const [name, ids] of Object.entries(lignes)) found[name] = [...(found[name] ?? []), ...ids];
  return {
    anciens: anciens.map(({ id }) => id),
    employes: anciens.flatMap(({ employes }) => employes),
    found,
  };
}
