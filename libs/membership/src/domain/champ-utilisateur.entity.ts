import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type DomainError, type InputFault, invalidRequest } from '#platform/errors/domain-error';
import type { ChampRecord, ChoixRecord, TypeChamp } from './champ-utilisateur.fields';
import { fr, type Text } from '#platform/errors/text';

const AT_LEAST_ONE_CHOICE: Text = {
  en: 'must have at least one choice',
  fr: fr('doit avoir au moins un choix'),
};
const REPEATED_CHOICE: Text = {
  en: 'is another choice of the field',
  fr: fr('est un autre choix du champ'),
};

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
    const fault = (pointer: string, code: string, detail: Text): unknown =>
      faults.push({ pointer, code, detail });
    if (type === 'choix' && ids.length === 0) fault('/choix', 'required', AT_LEAST_ONE_CHOICE);
    if (type !== 'choix' && ids.length > 0)
      fault('/choix', 'choice', {
        en: `must be empty for a field of type ${type}`,
        fr: fr`doit être vide pour un champ de type ${type}`,
      });
    ids.forEach((id, index) => {
      if (ids.indexOf(id) < index) fault(`/choix/${index}/idExterne`, 'duplicate', REPEATED_CHOICE);
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
  const fault = (detail: Text): DomainError => invalidRequest([{ pointer: '', code: 'length', detail }]);
  if (exceeds('count')) {
    throw fault({
      en: `There are at most ${count} custom fields. Delete one that nothing uses`,
      fr: fr`Il y a au plus ${MOST.count} champs utilisateur. Supprimez-en un que rien n'utilise`,
    });
  }
  if (exceeds('bytes')) {
    throw fault({
      en: `The names and choices of all custom fields have at most ${bytes} bytes of JSON together. Shorten labels, or delete choices and fields that nothing uses`,
      fr: fr`Les noms et les choix de tous les champs utilisateur ont ensemble au plus ${MOST.bytes} octets de JSON. Raccourcissez des libellés, ou supprimez des choix et des champs que rien n'utilise`,
    });
  }
}
