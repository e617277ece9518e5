import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type DomainError, type InputFault, invalidRequest } from '#platform/errors/domain-error';
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

/** Custom fields of a tenant, and bytes of their names and choices in JSON. */
export interface ChampsSize {
  readonly count: number;
  readonly bytes: number;
}

/** Every sync reads all of them. */
const MOST: ChampsSize = { count: 1_000, bytes: 2_097_152 };

/** @throws DomainError `Requete.Invalide` for a write that makes them more than they may be. Fewer than before always pass */
export function assertBoundedChamps(before: ChampsSize, after: ChampsSize): void {
  const exceeds = (what: keyof ChampsSize): boolean => after[what] > Math.max(MOST[what], before[what]);
  const [count, bytes] = [MOST.count, MOST.bytes].map((most) => most.toLocaleString('en'));
  const fault = (detail: string): DomainError => invalidRequest([{ pointer: '', code: 'length', detail }]);
  if (exceeds('count')) {
    throw fault(`There are at most ${count} custom fields. Delete one that nothing uses`);
  }
  if (exceeds('bytes')) {
    throw fault(
      `The names and choices of all custom fields have at most ${bytes} bytes of JSON together. Shorten labels, or delete choices and fields that nothing uses`,
    );
  }
}
