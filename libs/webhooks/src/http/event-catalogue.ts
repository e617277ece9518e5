import { Injectable } from '@nestjs/common';
import { EVENT_TYPE_NAMES, EVENT_TYPES } from '../domain/event.types';
import { EVENT_DATA } from './event-data.dto';
import type { TypeEvenementItem } from './evenements.dto';
import { jsonSchemaOf, type Schemas } from './json-schema';

/** The types of event with their JSON Schemas, which come from the OpenAPI document. */
@Injectable()
export class EventCatalogue {
  private schemas: (() => Schemas) | undefined;
  private items: readonly TypeEvenementItem[] | undefined;

  /** @param schemas returns the schemas of the OpenAPI document; the first `list` calls it */
  describe(schemas: () => Schemas): void {
    this.schemas = schemas;
  }

  list(): readonly TypeEvenementItem[] {
    if (!this.schemas) throw new Error('EventCatalogue.describe was not called.');
    return (this.items ??= this.itemsOf(this.schemas()));
  }

  private itemsOf(schemas: Schemas): TypeEvenementItem[] {
    return EVENT_TYPE_NAMES.map((type) => ({
      type,
      description: EVENT_TYPES[type].description,
      schema: jsonSchemaOf(EVENT_DATA[type].name, schemas),
    }));
  }
}
