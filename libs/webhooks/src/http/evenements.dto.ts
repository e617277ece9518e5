import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#platform/input/field.decorator';
import { PagingQuery } from '#platform/http/listing';
import { EVENT_TYPES, type EventType } from '../domain/event.types';
import { givenId, givenTime } from '#platform/input/field';

const TYPES = Object.keys(EVENT_TYPES) as EventType[];

export class EvenementList extends PagingQuery {
  @Input({
    kind: 'choice',
    values: TYPES,
    description: 'Only events of this type.',
    example: 'adhesion.signee',
  })
  type?: EventType;
}

/** An event of the feed. Deliveries have the same body without the id, which is their `webhook-id`. */
export class EvenementItem {
  @Shown(
    givenId(
      'Identifier of the event (GUID): the `webhook-id` of its deliveries.',
      '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21',
    ),
  )
  id: string;

  @ApiProperty({ description: 'Type of the event.', enum: TYPES, example: 'adhesion.signee' })
  type: EventType;

  @Shown(givenTime('Time of the event (UTC).', '2026-03-02T14:05:09.120Z'))
  timestamp: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Data of the event: `GET /b2b/v2/type-evenement` has the schema of each type.',
  })
  data: object;
}

/** A type of event with the schema of its data. */
export class TypeEvenementItem {
  @ApiProperty({ description: 'Name of the type.', enum: TYPES, example: 'adhesion.signee' })
  type: EventType;

  @ApiProperty({
    description: 'Occasion of the event, and its data.',
    example: EVENT_TYPES['adhesion.signee'].description,
  })
  description: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (2020-12) of `data`.',
  })
  schema: object;
}
