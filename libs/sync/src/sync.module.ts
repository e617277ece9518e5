import { Module } from '@nestjs/common';
import { ConsentModule } from '#consent';
import { MembershipModule } from '#membership';
import { SyncV1Service } from './application/sync-v1.service';

@Module({ imports: [MembershipModule, ConsentModule], providers: [SyncV1Service], exports: [SyncV1Service] })
export class SyncModule {}
