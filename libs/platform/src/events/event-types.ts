import type { ModuleName } from '#access/caller';

/** Catalogue entry of an event type. */
export interface EventDefinition {
  /** When it fires and what its data are. */
  readonly description: string;
  /** The module that shows the same data. A key without it does not get the event. */
  readonly module?: ModuleName;
}

/** Event types (docs/contract.md, "Event types"). */
export const EVENT_TYPES = {
  'adhesion.signee': {
    description: 'A card was signed, or made by a conciliation. Data: the card as V2 shows it.',
    module: 'carteMembre',
  },
  'adhesion.supprimee': {
    description: 'A signed card was deleted. Data: which one.',
    module: 'carteMembre',
  },
  'campagne.ouverte': {
    description: 'The vote has opened, by its date or by hand. Data: the campaign as lists show it.',
    module: 'vote',
  },
  'campagne.publiee': {
    description: 'A campaign was published: its structure is locked. Data: the campaign as lists show it.',
    module: 'vote',
  },
  'campagne.terminee': {
    description: 'The vote has closed, by its date or by hand. Data: the campaign as lists show it.',
    module: 'vote',
  },
  'conciliation.demandee': {
    description: 'Somebody who is no known employee signed. Data: the membership request that waits.',
    module: 'carteMembre',
  },
  'listeElectorale.creee': {
    description: 'Voters were added to a campaign by criteria. Data: how many, and of which campaign.',
    module: 'vote',
  },
  'sync.terminee': {
    description: 'A sync has ended, sent directly or as a task. Data: how many records it wrote and refused.',
  },
  'webhook.test': {
    description: 'Sent to one endpoint on demand. Data: which one.',
  },
} as const satisfies Record<string, EventDefinition>;

export type EventType = keyof typeof EVENT_TYPES;

/** What is needed of a type where it does not matter which one it is. */
export function definitionOf(type: EventType): EventDefinition {
  return EVENT_TYPES[type];
}
