import { InputOf, ItemOf } from '#platform/input/record-classes';
import { pick } from '#platform/input/field';
import { value } from '#platform/input/values';
import { MAJORITES, MOST_POIDS, POINT_FIELDS, RESULTAT_FIELDS, TYPES_VOTE } from '../domain/point.fields';

/** Body of POST. */
export class PointInput extends InputOf(POINT_FIELDS) {}

/** A point as the agenda of its meeting shows it. */
export class PointItem extends ItemOf(pick(POINT_FIELDS, 'pointId', 'titre', 'votable', 'ordre')) {}

/** A point with its type of vote and its majority. */
export class PointDetailItem extends ItemOf(pick(POINT_FIELDS, 'typeVote', 'majorite'), {}, PointItem) {}

/** Body of PUT, which replaces the whole result. */
export class ResultatInput extends InputOf(RESULTAT_FIELDS) {}

const UNTIL = 'null until a result is recorded';

/** A count of votes, once there is a result. */
const count = (name: 'pour' | 'contre' | 'abstentions') => {
  const { description, ...field } = RESULTAT_FIELDS[name];
  const text = `${description.replace(/\.$/, '')}; ${UNTIL}.`;
  return { ...field, required: false, description: text } as const;
};

/** A total of weights, once there is a result. */
const poids = (name: 'poidsPour' | 'poidsContre' | 'poidsAbstentions', of: string) =>
  value.orNull<number>({
    schema: {
      description: `Exact total weight of ${of}, with at most four decimals; ${UNTIL}.`,
      type: 'number',
      minimum: 0,
      maximum: MOST_POIDS,
      example: RESULTAT_FIELDS[name].example,
    },
  });

/** The result of the vote on a point. */
export class ResultatPointItem extends ItemOf({
  ...pick(RESULTAT_FIELDS, 'pointId', 'titre', 'ordre'),
  typeVote: { ...RESULTAT_FIELDS.typeVote, kind: 'choice', values: TYPES_VOTE, always: true },
  pour: count('pour'),
  contre: count('contre'),
  abstentions: count('abstentions'),
  adopte: {
    ...RESULTAT_FIELDS.adopte,
    description: `Whether the proposal has the majority that it needs, by weight. A proposal without votes for it is never adopted; ${UNTIL}.`,
  },
  majorite: { ...RESULTAT_FIELDS.majorite, kind: 'choice', values: MAJORITES, always: true },
  poidsPour: poids('poidsPour', 'the votes for'),
  poidsContre: poids('poidsContre', 'the votes against'),
  poidsAbstentions: poids('poidsAbstentions', 'the abstentions'),
}) {}
