export { syncLockOf } from './application/overtaken';
export { SyncV1Service } from './application/sync-v1.service';
export { SyncV2Service } from './application/sync-v2.service';
export { type TacheJob, TachesService } from './application/taches.service';
export { EXAMPLE_TACHE_ID, SyncTermineeData } from './http/taches.dto';
export * from './domain/sync.errors';
export { SYNC_QUEUES, TACHE_ABANDONNEE_QUEUE, TACHE_QUEUE } from './application/tache-queues';
export { SYNC_AUDITED_ACTIONS } from './domain/sync.actions';
