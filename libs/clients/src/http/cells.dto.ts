import { ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import type { Cell } from '../application/cells.service';

const ETATS = ['Disponible', 'Indisponible'] as const;

/** A database that data spaces live in. */
export class CelluleItem extends ItemOf({
  nom: value.text('Name of the cell.', 'principal'),
  nombreEspaces: value.integer('Number of data spaces.', 42),
  taille: value.orNull(
    value.integer('Size of its database in bytes; null if it does not answer.', 52_428_800),
  ),
  etat: value.choice(ETATS, 'Whether it answers within 1.5 s.', 'Disponible'),
}) {
  static of({ nom, nombreEspaces, taille }: Cell): CelluleItem {
    return { nom, nombreEspaces, taille, etat: taille === null ? 'Indisponible' : 'Disponible' };
  }
}
