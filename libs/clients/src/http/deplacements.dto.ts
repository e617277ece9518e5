import { ApiProperty } from '@nestjs/swagger';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { text } from '#platform/input/field';
import { value } from '#platform/input/values';
import { type Deplacement, ETATS_DEPLACEMENT } from '../domain/deplacement.types';

export class DeplacementDemande extends InputOf({
  cellule: text(20, { required: true, description: 'Cell that the data space moves to.', example: 'nord' }),
} as const) {}

class ErreurDeplacementItem extends ItemOf({
  code: value.text('Error code, as on /docs/erreurs.', 'Deplacement.VoteOuvert'),
  detail: value.text('What was wrong and what to do.', 'A campaign of the data space is open.'),
}) {}

/** A move that has not ended. */
export const EXAMPLE_DEPLACEMENT = {
  id: '019ab9a0-5c1e-7c22-8f01-6d3b5e2a7c44',
  type: 'deplacement',
  etat: 'EnCours',
  celluleOrigine: 'principal',
  cellule: 'nord',
  traites: 412_500,
  total: 1_000_000,
  dateCreation: '2026-11-25T14:30:00.000Z',
  dateBascule: null,
  dateFin: null,
};

/** A move of a data space to another cell. */
export class DeplacementItem extends ItemOf({
  id: value.id('Identifier of the move (GUID).', '019ab9a0-5c1e-7c22-8f01-6d3b5e2a7c44'),
  type: value.choice(['deplacement'], 'Kind of task.', 'deplacement'),
  etat: value.choice(
    ETATS_DEPLACEMENT,
    'State of the move. A failed move has changed nothing; a succeeded one has also removed the rows of the old cell.',
    'EnCours',
  ),
  celluleOrigine: value.text('Cell that the data space leaves.', 'principal'),
  cellule: value.text('Cell that the data space moves to.', 'nord'),
  traites: value.integer('Rows copied.', 412_500),
  total: value.integer('Rows to copy, counted before writes were refused.', 1_000_000),
  dateCreation: value.time('When it was requested (UTC).', '2026-11-25T14:30:00.000Z'),
  dateBascule: value.orNull(
    value.time('When the service began to use the new cell (UTC); null before.', null),
  ),
  dateFin: value.orNull(value.time('When it ended (UTC); null before.', null)),
}) {
  @ApiProperty({ description: 'The reason, if `etat` is `Echouee`.', required: false })
  erreur?: ErreurDeplacementItem;

  static of(move: Deplacement): DeplacementItem {
    const { id, etat, celluleOrigine, cellule, traites, total, erreur } = move;
    return {
      id,
      type: 'deplacement',
      etat,
      celluleOrigine,
      cellule,
      traites,
      total,
      dateCreation: move.dateCreation.toISOString(),
      dateBascule: move.dateBascule?.toISOString() ?? null,
      dateFin: move.dateFin?.toISOString() ?? null,
      ...(erreur ? { erreur } : {}),
    };
  }
}
