import { MODULE, MODULE_REMEDY } from '#access/access.errors';
import type { ModuleName } from '#access/caller';
import { DomainError } from '#platform/errors/domain-error';
import { EVENT_TYPE_NAMES, EVENT_TYPES, type EventType } from './event.types';
import { fr } from '#platform/errors/text';

/** Returns the types of event whose data a key with these modules may read; undefined if that is every type. */
export function openTypes(modules: readonly ModuleName[]): EventType[] | undefined {
  const open = EVENT_TYPE_NAMES.filter((type) => closedBy(type, modules) === undefined);
  return open.length === EVENT_TYPE_NAMES.length ? undefined : open;
}

/** @throws DomainError `Module.NonActif` if a type belongs to a module that the key may not use */
export function assertOpen(types: readonly EventType[], modules: readonly ModuleName[]): void {
  for (const type of types) {
    const module = closedBy(type, modules);
    if (module) {
      throw new DomainError(
        MODULE.NonActif,
        {
          en: `Events ${type} belong to the module ${module}, which is not active for this key. ${MODULE_REMEDY.en}`,
          fr: fr`Les événements ${type} font partie du module ${module}, qui n'est pas actif pour cette clé. ${MODULE_REMEDY.fr}`,
        },
        { module },
      );
    }
  }
}

/** Returns the module of the type if the key may not use it. */
function closedBy(type: EventType, modules: readonly ModuleName[]): ModuleName | undefined {
  const { module } = EVENT_TYPES[type];
  return module && !modules.includes(module) ? module : undefined;
}
