import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type InputFault, invalidRequest } from '#platform/errors/domain-error';
import type { ChampRecord, ChoixRecord, TypeChamp } from './champ-utilisateur.fields';

/** A custom field that a tenant defines for its employees. */
@Entity('champ_utilisateur')
export class ChampUtilisateur {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  idUnique: string;

  @Column('text')
  nom: string;

  @Column('text')
  type: TypeChamp;

  @Column('boolean')
  obligatoire: boolean;

  /** Set by a replacement only, because they are rows of another table. */
  choix: readonly ChoixRecord[];

  /** @throws DomainError `Requete.Invalide` where choices and type do not go together */
  replaceWith({ type, obligatoire, choix }: ChampRecord): void {
    const faults: InputFault[] = [];
    const ids = (choix ?? []).map(({ idExterne }) => idExterne);
    const fault = (pointer: string, code: string, detail: string): unknown =>
      faults.push({ pointer, code, detail });
    if (type === 'choix' && ids.length === 0) fault('/choix', 'required', 'must have at least one choice');
    if (type !== 'choix' && ids.length > 0)
      fault('/choix', 'choice', `must be empty for a field of type ${type}`);
    ids.forEach((id, index) => {
      if (ids.indexOf(id) < index)
        fault(`/choix/${index}/idExterne`, 'duplicate', 'is another choice of the field');
    });
    if (faults.length > 0) throw invalidRequest(faults);
    this.type = type;
    this.obligatoire = obligatoire ?? false;
    this.choix = choix ?? [];
  }
}
