import { Injectable } from '@nestjs/common';
import { EVENT_TYPES, type EventType } from '#shared/outbox/event-types';
import { EVENT_DATA } from './event-data.dto';
import type { TypeEvenementItem } from './evenements.dto';
import { jsonSchemaOf, type Schemas } from './json-schema';

/** The types of event with their JSON Schemas, which are those of the OpenAPI document: one description for both. */
@Injectable()
export class EventCatalogue {
  private items: readonly TypeEvenementItem[] | undefined;

  /** @param components the schemas of the OpenAPI document */
  describe(components: Schemas): void {
    this.items = (Object.keys(EVENT_TYPES) as EventType[]).map((type) => ({
      type,
      description: EVENT_TYPES[type].description,
      schema: jsonSchemaOf(EVENT_DATA[type].name, components),
    }));
  }

  list(): readonly TypeEvenementItem[] {
    if (!this.items) throw new Error('The OpenAPI document has not been made.');
    return this.items;
  }
}
