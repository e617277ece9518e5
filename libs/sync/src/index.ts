export { afterSyncs, syncLockOf } from './application/overtaken';
export { MOST_VOTES } from './application/sync-engine';
export { SyncV1Service } from './application/sync-v1.service';
export { type SyncV2Request, type SyncV2Result, SyncV2Service } from './application/sync-v2.service';
export { UndoService } from './application/undo.service';
export { PlansService } from './application/plans.service';
export { type Tache, type TacheJob, type TachePerformer, TachesService } from './application/taches.service';
export { EXAMPLE_PLAN_IDS, SyncBloqueeData, VoteToucheItem } from './http/plans.dto';
export { EFFETS_HEADERS, withEffets } from './http/effets.dto';
export { EXAMPLE_SYNC_IDS } from './http/syncs.dto';
export { SyncV2ResultItem } from './http/sync-v2.dto';
export { SYNC_SEALED } from './application/image-box';
export {
  accepted,
  EXAMPLE_TACHE,
  EXAMPLE_TACHE_ID,
  RenommesItem,
  SyncTermineeData,
  TacheItem,
} from './http/taches.dto';
export type { Synced } from './domain/effets.types';
export type { VoteTouche } from './domain/plan.types';
export * from './domain/sync.errors';
export { SYNC_QUEUES, TACHE_ABANDONNEE_QUEUE, TACHE_QUEUE } from './application/tache-queues';
export { SYNC_AUDITED_ACTIONS } from './domain/sync.actions';
