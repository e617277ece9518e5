import { ApiProperty } from '@nestjs/swagger';
import { Shown } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { pick } from '#platform/input/field';
import { MAJORITES, MOST_POIDS, POINT_FIELDS, RESULTAT_FIELDS, TYPES_VOTE } from '../domain/point.fields';

/** Body of POST. */
export class PointInput extends InputOf(POINT_FIELDS) {}

/** A point as the agenda of its meeting shows it. */
export class PointItem extends ItemOf(pick(POINT_FIELDS, 'pointId', 'titre', 'votable', 'ordre')) {}

/** A point with how it is voted on. */
export class PointDetailItem extends PointItem {
  @Shown(POINT_FIELDS.typeVote)
  typeVote: string | null;

  @Shown(POINT_FIELDS.majorite)
  majorite: string | null;
}

/** Body of PUT, which replaces the whole result. */
export class ResultatInput extends InputOf(RESULTAT_FIELDS) {}

const UNTIL = 'null until a result is recorded';

/** A count of votes, once there is a result. */
const Count = (name: 'pour' | 'contre' | 'abstentions'): PropertyDecorator => {
  const { description, ...count } = RESULTAT_FIELDS[name];
  return Shown({ ...count, required: false, description: `${description.replace(/\.$/, '')}; ${UNTIL}.` });
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
export class ResultatPointItem extends ItemOf(pick(RESULTAT_FIELDS, 'pointId', 'titre', 'ordre')) {
  @Shown({ ...RESULTAT_FIELDS.typeVote, kind: 'choice', values: TYPES_VOTE, always: true })
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

  @Shown({ ...RESULTAT_FIELDS.majorite, kind: 'choice', values: MAJORITES, always: true })
  majorite: string;
}
