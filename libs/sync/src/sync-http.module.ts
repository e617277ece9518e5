import { Module } from '@nestjs/common';
import { SyncV1Controller } from './http/sync-v1.controller';
import { SyncModule } from './sync.module';

@Module({ imports: [SyncModule], controllers: [SyncV1Controller] })
export class SyncHttpModule {}
