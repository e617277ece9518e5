import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import { Databases, ENTITIES } from './databases';
import { IdempotencyRecords } from './idempotency-records';
import { Maintenance } from './maintenance';
import { SealedColumns } from './sealed-columns';
import { Transactions } from './transactions';

/** Connections and transactions. */
@Global()
@Module({})
export class DatabaseModule {
  /** @param entities TypeORM entities of the process */
  static forRoot(entities: DataSourceOptions['entities']): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: ENTITIES, useValue: entities },
        Databases,
        IdempotencyRecords,
        Maintenance,
        SealedColumns,
        Transactions,
      ],
      exports: [Databases, IdempotencyRecords, Maintenance, SealedColumns, Transactions],
    };
  }
}
