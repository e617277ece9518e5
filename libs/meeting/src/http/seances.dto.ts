import { InputOf, ItemOf } from '#platform/input/record-classes';
import { pick } from '#platform/input/field';
import { value } from '#platform/input/values';
import { PagingQuery } from '#platform/http/listing';
import { PRESENCES_FIELDS, SEANCE_FIELDS, SEANCE_FILTER_FIELDS } from '../domain/seance.fields';
import { PointItem } from './points.dto';

/** Body of POST. */
export class SeanceInput extends InputOf(SEANCE_FIELDS) {}

/** A meeting with its agenda. */
export class SeanceItem extends ItemOf({
  ...pick(SEANCE_FIELDS, 'seanceId', 'titre', 'date', 'syndicatIdExterne'),
  points: value.list(PointItem, 'Points of the agenda, in their order.'),
}) {}

/** Query of the list of meetings. */
export class SeanceList extends InputOf(SEANCE_FILTER_FIELDS, {}, PagingQuery) {}

/** Body of PUT, which replaces all numbers. */
export class PresencesInput extends InputOf({
  ...PRESENCES_FIELDS,
  inscrits: { ...PRESENCES_FIELDS.inscrits, description: 'Persons who may take part.' },
  presents: {
    ...PRESENCES_FIELDS.presents,
    description: 'Persons among them who are present; at most `inscrits`.',
  },
  votants: {
    ...PRESENCES_FIELDS.votants,
    description:
      'Persons among those present who have voted; at most `presents`. Absent if they were not counted.',
  },
}) {}

/** Participation in a meeting, in numbers without persons. */
export class ParticipationItem extends ItemOf(PRESENCES_FIELDS) {}
