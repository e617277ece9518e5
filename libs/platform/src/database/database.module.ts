import { Global, Module } from '@nestjs/common';
import { IdempotencyRecords } from './idempotency-records';
import { Maintenance } from './maintenance';
import { SealedColumns } from './sealed-columns';
import { Transactions } from './transactions';

const PROVIDERS = [IdempotencyRecords, Maintenance, SealedColumns, Transactions];

/** Transactions on the databases that the application registers. */
@Global()
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class DatabaseModule {}
