export { SyncHttpModule } from './sync-http.module';
export { SyncModule } from './sync.module';
export { SyncV1Service } from './application/sync-v1.service';
