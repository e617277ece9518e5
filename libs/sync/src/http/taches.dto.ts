import { ApiProperty } from '@nestjs/swagger';
import type { SyncTerminee } from '../domain/sync-terminee.types';
import { ETATS_TACHE, type EtatTache } from '../domain/tache.types';
import { SyncV2ResultItem } from './sync-v2.dto';

/** Identifier of the documentation's examples. The demonstration tenant has such a task, so the examples work. */
export const EXAMPLE_TACHE_ID = '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c44';

class ErreurTacheItem {
  @ApiProperty({ description: 'Error code, as on /docs/erreurs.', example: 'Requete.Invalide' })
  code: string;

  @ApiProperty({ description: 'What was wrong and what to do.', example: 'the body must be valid JSON' })
  detail: string;
}

/** A task that the service performs in the background. */
export class TacheItem {
  @ApiProperty({ description: 'Identifier of the task (GUID).', format: 'uuid', example: EXAMPLE_TACHE_ID })
  id: string;

  @ApiProperty({ description: 'Kind of task.', enum: ['sync'], example: 'sync' })
  type: string;

  @ApiProperty({ description: 'State of the task.', enum: ETATS_TACHE, example: 'EnCours' })
  etat: EtatTache;

  @ApiProperty({
    description:
      'Progress in records: a checked record counts as a half, a written record as one. A failed task has written nothing.',
    type: 'integer',
    example: 41_250,
  })
  traites: number;

  @ApiProperty({
    description: 'Records of the lists as sent, without those nested in them.',
    type: 'integer',
    example: 100_000,
  })
  total: number;

  @ApiProperty({ description: 'The result of the sync, once `etat` is `Reussie`.', required: false })
  resultat?: SyncV2ResultItem;

  @ApiProperty({ description: 'The reason, once `etat` is `Echouee`.', required: false })
  erreur?: ErreurTacheItem;
}

/** Data of the event `sync.terminee`. */
export class SyncTermineeData implements SyncTerminee {
  @ApiProperty({ description: 'Version of the sync.', enum: ['V1', 'V2'], example: 'V2' })
  version: 'V1' | 'V2';

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'uuid',
    description:
      'The task (GUID), which has the errors of the records; null if the caller waited for the sync.',
    example: EXAMPLE_TACHE_ID,
  })
  tacheId: string | null;

  @ApiProperty({
    description: 'A failed sync has written nothing.',
    enum: ['Reussie', 'Echouee'],
    example: 'Reussie',
  })
  etat: 'Reussie' | 'Echouee';

  @ApiProperty({ description: 'Whether it was a simulation, which writes nothing.', example: false })
  simulation: boolean;

  @ApiProperty({ description: 'Records created, over all lists.', type: 'integer', example: 942 })
  crees: number;

  @ApiProperty({ description: 'Records that existed and were accepted.', type: 'integer', example: 99_041 })
  modifies: number;

  @ApiProperty({ description: 'Records rejected.', type: 'integer', example: 17 })
  refuses: number;
}
