import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#shared/http/field.decorator';
import {
  MAJORITES,
  MOST_POIDS,
  POINT_FIELDS,
  type PointRecord,
  RESULTAT_FIELDS,
  type ResultatRecord,
  TYPES_VOTE,
} from '../domain/point.fields';

/** Body of POST. */
export class PointInput implements PointRecord {
  @Input(POINT_FIELDS.titre)
  titre: string;

  @Input(POINT_FIELDS.ordre)
  ordre: number;

  @Input(POINT_FIELDS.votable)
  votable: boolean;

  @Input(POINT_FIELDS.typeVote)
  typeVote?: string | null;

  @Input(POINT_FIELDS.majorite)
  majorite?: string | null;

  @Input(POINT_FIELDS.pointId)
  pointId?: unknown;
}

/** A point as the agenda of its meeting shows it. */
export class PointItem {
  @Shown(POINT_FIELDS.pointId, { always: true, format: 'uuid' })
  pointId: string;

  @Shown(POINT_FIELDS.titre)
  titre: string;

  @Shown({ ...POINT_FIELDS.ordre, description: 'Place on the agenda.' })
  ordre: number;

  @Shown(POINT_FIELDS.votable)
  votable: boolean;
}

/** A point with how it is voted on. */
export class PointDetailItem extends PointItem {
  @Shown({
    ...POINT_FIELDS.typeVote,
    description: 'How the vote is held: by name (nominal), or secret; null of a point without a vote.',
  })
  typeVote: string | null;

  @Shown({
    ...POINT_FIELDS.majorite,
    description: 'What the proposal needs, by weight; null of a point without a vote.',
  })
  majorite: string | null;
}

/** Body of PUT, which replaces the whole result. */
export class ResultatInput implements ResultatRecord {
  @Input(RESULTAT_FIELDS.pour)
  pour: number;

  @Input(RESULTAT_FIELDS.contre)
  contre: number;

  @Input(RESULTAT_FIELDS.abstentions)
  abstentions: number;

  @Input(RESULTAT_FIELDS.poidsPour)
  poidsPour?: string | null;

  @Input(RESULTAT_FIELDS.poidsContre)
  poidsContre?: string | null;

  @Input(RESULTAT_FIELDS.poidsAbstentions)
  poidsAbstentions?: string | null;

  @Input(RESULTAT_FIELDS.pointId)
  pointId?: unknown;

  @Input(RESULTAT_FIELDS.titre)
  titre?: unknown;

  @Input(RESULTAT_FIELDS.ordre)
  ordre?: unknown;

  @Input(RESULTAT_FIELDS.typeVote)
  typeVote?: unknown;

  @Input(RESULTAT_FIELDS.adopte)
  adopte?: unknown;

  @Input(RESULTAT_FIELDS.majorite)
  majorite?: unknown;
}

const UNTIL = 'null until a result is recorded';

/** A count of votes, once there is a result. */
const Count = (name: 'pour' | 'contre' | 'abstentions'): PropertyDecorator => {
  const { description, ...count } = RESULTAT_FIELDS[name];
  return Shown({ ...count, description: `${description.replace(/\.$/, '')}; ${UNTIL}.` }, { always: false });
};

/** A total of weights, once there is a result. */
const Poids = (name: 'poidsPour' | 'poidsContre' | 'poidsAbstentions', of: string): PropertyDecorator =>
  ApiProperty({
    description: `Exact total weight of ${of}, with at most four decimals; ${UNTIL}.`,
    type: 'number',
    minimum: 0,
    maximum: MOST_POIDS,
    nullable: true,
    example: RESULTAT_FIELDS[name].example,
  });

/** The result of the vote on a point. */
export class ResultatPointItem {
  @Shown(RESULTAT_FIELDS.pointId, { always: true, format: 'uuid' })
  pointId: string;

  @Shown(RESULTAT_FIELDS.titre, { always: true })
  titre: string;

  @Shown(RESULTAT_FIELDS.ordre, { always: true })
  ordre: number;

  @Shown({ ...RESULTAT_FIELDS.typeVote, kind: 'choice', values: TYPES_VOTE }, { always: true })
  typeVote: string;

  @Count('pour')
  pour: number | null;

  @Count('contre')
  contre: number | null;

  @Count('abstentions')
  abstentions: number | null;

  @Poids('poidsPour', 'the votes for')
  poidsPour: number | null;

  @Poids('poidsContre', 'the votes against')
  poidsContre: number | null;

  @Poids('poidsAbstentions', 'the abstentions')
  poidsAbstentions: number | null;

  @Shown({
    ...RESULTAT_FIELDS.adopte,
    description: `Whether the proposal has the majority that it needs, by weight. Nothing cast for it is never enough; ${UNTIL}.`,
  })
  adopte: boolean | null;

  @Shown({ ...RESULTAT_FIELDS.majorite, kind: 'choice', values: MAJORITES }, { always: true })
  majorite: string;
}
