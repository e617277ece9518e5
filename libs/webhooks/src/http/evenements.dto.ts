import { givenId, givenTime } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { PagingQuery } from '#platform/http/listing';
import { EVENT_TYPE_NAMES, EVENT_TYPES } from '../domain/event.types';

const EVENEMENT_FILTER_FIELDS = {
  type: {
    kind: 'choice',
    values: EVENT_TYPE_NAMES,
    description: 'Only events of this type.',
    example: 'adhesion.signee',
  },
} as const;

export class EvenementList extends InputOf(EVENEMENT_FILTER_FIELDS, {}, PagingQuery) {}

/** An event of the feed. Deliveries have the same body without the id, which is their `webhook-id`. */
export class EvenementItem extends ItemOf({
  id: givenId(
    'Identifier of the event (GUID): the `webhook-id` of its deliveries.',
    '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21',
  ),
  type: value.choice(EVENT_TYPE_NAMES, 'Type of the event.', 'adhesion.signee'),
  timestamp: givenTime('Time of the event (UTC).', '2026-03-02T14:05:09.120Z'),
  data: value.object('Data of the event: `GET /b2b/v2/type-evenement` has the schema of each type.'),
}) {}

/** A type of event with the schema of its data. */
export class TypeEvenementItem extends ItemOf({
  type: value.choice(EVENT_TYPE_NAMES, 'Name of the type.', 'adhesion.signee'),
  description: value.text('Occasion of the event, and its data.', EVENT_TYPES['adhesion.signee'].description),
  schema: value.object('JSON Schema (2020-12) of `data`.'),
}) {}
