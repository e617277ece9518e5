import { Module } from '@nestjs/common';
import { SyncV1Controller } from './http/sync-v1.controller';
import { SyncV2Controller } from './http/sync-v2.controller';
import { TachesController } from './http/taches.controller';
import { SyncModule } from './sync.module';

@Module({ imports: [SyncModule], controllers: [SyncV1Controller, SyncV2Controller, TachesController] })
export class SyncHttpModule {}
