import { Injectable } from '@nestjs/common';
import { EVENT_TYPES, type EventType } from '#shared/outbox/event-types';
import { EVENT_DATA } from './event-data.dto';
import type { TypeEvenementItem } from './evenements.dto';
import { jsonSchemaOf, type Schemas } from './json-schema';

/** The types of event with their JSON Schemas, which are those of the OpenAPI document: one description for both. */
@Injectable()
export class EventCatalogue {
  /** The schemas of the OpenAPI document, which the application makes from its controllers. */
  schemas: () => Schemas = () => {
    throw new Error('Nobody has said where the OpenAPI document is.');
  };
  private items: readonly TypeEvenementItem[] | undefined;

  list(): readonly TypeEvenementItem[] {
    return (this.items ??= this.itemsOf(this.schemas()));
  }

  private itemsOf(schemas: Schemas): TypeEvenementItem[] {
    return (Object.keys(EVENT_TYPES) as EventType[]).map((type) => ({
      type,
      description: EVENT_TYPES[type].description,
      schema: jsonSchemaOf(EVENT_DATA[type].name, schemas),
    }));
  }
}
