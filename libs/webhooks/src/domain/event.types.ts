import { ADHESION_EVENTS, CONCILIATION_EVENTS } from '#adhesion/vocabulary';
import type { ModuleName } from '#access/caller';
import { CLE_EVENTS } from '#clients/vocabulary';
import { SYNC_EVENTS } from '#sync/vocabulary';
import { CAMPAGNE_EVENTS, LISTE_ELECTORALE_EVENTS } from '#voting/vocabulary';
import { WEBHOOK_EVENTS } from './webhooks.events';

/** The catalogue of events. The compiler requires a schema for each (`EVENT_DATA`). */
const EVENTS = [
  ...Object.values(ADHESION_EVENTS),
  ...Object.values(CAMPAGNE_EVENTS),
  ...Object.values(CLE_EVENTS),
  ...Object.values(CONCILIATION_EVENTS),
  ...Object.values(LISTE_ELECTORALE_EVENTS),
  ...Object.values(SYNC_EVENTS),
  ...Object.values(WEBHOOK_EVENTS),
];

export type EventType = (typeof EVENTS)[number]['type'];

/** An entry of the catalogue. */
export interface CataloguedEvent {
  readonly type: EventType;
  readonly description: string;
  readonly module?: ModuleName;
}

/** The events by their types, in alphabetical order. */
export const EVENT_TYPES = Object.fromEntries(
  EVENTS.toSorted((one, other) => (one.type < other.type ? -1 : 1)).map((event) => [event.type, event]),
) as unknown as Readonly<Record<EventType, CataloguedEvent>>;

/** The names of the types, in alphabetical order. */
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[];
