import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { Json } from '#platform/database/json';
import { Accepted } from '#platform/http/answers.decorator';
import { ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import type { Tache } from '../application/taches.service';
import { NOMS_SYNC } from '../domain/sync.types';
import type { SyncTerminee } from '../domain/sync-terminee.types';
import { ETATS_TACHE, TYPES_TACHE } from '../domain/tache.types';
import { EffetsItem } from './effets.dto';
import { EXAMPLE_PLAN_IDS } from './plans.dto';
import { SyncV2ResultItem } from './sync-v2.dto';

/** Identifier of the documentation's examples. The demonstration tenant has such a task, so the examples work. */
export const EXAMPLE_TACHE_ID = '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c44';

/** A task that has not ended. */
export const EXAMPLE_TACHE = {
  id: EXAMPLE_TACHE_ID,
  type: 'sync',
  etat: 'EnCours',
  traites: 41_250,
  total: 100_000,
};

class ErreurTacheItem extends ItemOf({
  code: value.text('Error code, as on /docs/erreurs.', 'Requete.Invalide'),
  detail: value.text('What was wrong and what to do.', 'the body must be valid JSON'),
}) {}

/** The result of a renaming of many employees. */
export class RenommesItem extends ItemOf({
  nombreModifies: value.integer('Employees whose identifier is another one now.', 2),
}) {}

/** The result of a plan that a task has made. */
export class PlanFaitItem extends ItemOf({
  planId: value.id('The plan (GUID).', EXAMPLE_PLAN_IDS.aLire),
}) {}

/** The result of a task that has advanced the clock of a rehearsal. */
export class HorlogeAvanceeItem extends ItemOf({
  maintenant: value.time('The time that the clock shows since (UTC).', '2027-03-08T22:00:00.000Z'),
}) {}

const RESULTATS = [SyncV2ResultItem, RenommesItem, PlanFaitItem, HorlogeAvanceeItem];

/** A task that the service performs in the background. */
@ApiExtraModels(...RESULTATS)
export class TacheItem extends ItemOf({
  id: value.id('Identifier of the task (GUID).', EXAMPLE_TACHE_ID),
  type: value.choice(
    TYPES_TACHE,
    'Kind of task: a V2 sync, new identifiers of employees, a plan, or the advance of the clock of a rehearsal.',
    'sync',
  ),
  etat: value.choice(ETATS_TACHE, 'State of the task.', 'EnCours'),
  traites: value.integer(
    'Progress in records: a checked record counts as a half, a written record as one. A failed task has written nothing.',
    41_250,
  ),
  total: value.integer('Records of the lists as sent, without those nested in them.', 100_000),
}) {
  @ApiProperty({
    description:
      'The result, as the request itself would have returned it, once `etat` is `Reussie`; the identifier of a plan.',
    required: false,
    anyOf: RESULTATS.map((type) => ({ $ref: getSchemaPath(type) })),
  })
  resultat?: SyncV2ResultItem | RenommesItem | PlanFaitItem | HorlogeAvanceeItem;

  @ApiProperty({ description: 'The effects, of a sync only, once `etat` is `Reussie`.', required: false })
  effets?: EffetsItem;

  @ApiProperty({ description: 'The reason, once `etat` is `Echouee`.', required: false })
  erreur?: ErreurTacheItem;
}

/** Data of the event `sync.terminee`. */
export class SyncTermineeData
  extends ItemOf({
    version: value.choice(NOMS_SYNC, 'Version of the sync; `Annulation` of an undo.', 'V2'),
    syncId: value.orNull(
      value.id(
        'The sync (GUID), which can be undone for 30 days; null if it has written nothing.',
        '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c71',
      ),
    ),
    tacheId: value.orNull(
      value.id(
        'The task (GUID), which has the errors of the records; null if the caller waited for the sync.',
        EXAMPLE_TACHE_ID,
      ),
    ),
    etat: value.choice(['Reussie', 'Echouee'] as const, 'A failed sync has written nothing.', 'Reussie'),
    simulation: {
      kind: 'boolean',
      always: true,
      description: 'Whether it was a simulation, which writes nothing.',
      example: false,
    },
    crees: value.integer('Records created, over all lists.', 942),
    modifies: value.integer('Records that existed and were accepted.', 99_041),
    refuses: value.integer('Records rejected.', 17),
    effets: value.one(
      EffetsItem,
      'Effects of the sync, as in the header `Mandat-Effets`; zeros if it failed.',
    ),
  })
  implements SyncTerminee {}

/** Returns the answer of a request that a task does. */
export function accepted(tache: Tache): Accepted {
  return new Accepted(`/b2b/v2/tache/${tache.id}`, jsonOf(tache));
}

/** Returns a task as JSON. Inserts the result as PostgreSQL's text, without parsing it. */
export function jsonOf(tache: Tache): Json {
  const [before, after] = around(tache);
  return `${before}${tache.resultat === null ? '' : `,"resultat":${tache.resultat}`}${after}`;
}

/** Returns the JSON text before and after the result. */
export function around({
  resultat: _resultat,
  long: _long,
  effets,
  erreur,
  ...tache
}: Tache): [string, string] {
  const members = [
    ...(effets === null ? [] : [`,"effets":${JSON.stringify(effets)}`]),
    ...(erreur === null ? [] : [`,"erreur":${JSON.stringify(erreur)}`]),
  ];
  return [JSON.stringify(tache).slice(0, -1), `${members.join('')}}`];
}
