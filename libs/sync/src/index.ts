export { turnOf } from './application/overtaken';
export { SyncV1Service } from './application/sync-v1.service';
export { SyncV2Service } from './application/sync-v2.service';
export { type TacheJob, TachesService } from './application/taches.service';
export { EXAMPLE_TACHE_ID, SyncTermineeData } from './http/taches.dto';
export { SyncHttpModule } from './sync-http.module';
export { SyncModule } from './sync.module';
export * from './domain/sync.errors';
