import {
  type DynamicModule,
  Global,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Config } from '../ops/config';
import { LOGGER } from '../ops/logger';
import { Metrics } from '../ops/metrics';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { createDataSource, logLostConnection } from './connections';
import { DatabaseWatch } from './database-watch';
import { IdempotencyRecords } from './idempotency-records';
import { PipelinedPools } from './pipelined-pools';
import { SealedColumns } from './sealed-columns';
import { assertOwnsNothing } from './service-login';
import { Transactions } from './transactions';

/** Stops the start in production if the database login could bypass the roles of the processes. */
@Injectable()
class LoginCheck implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly dataSource: DataSource,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.config.production) await assertOwnsNothing((text) => this.dataSource.query(text));
  }
}

/** Closes the connections after the last request has been answered and the queue has stopped. */
@Injectable()
class PoolCloser implements OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pools: PipelinedPools,
    private readonly watch: DatabaseWatch,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    const { reads, shortWrites, access } = this.pools;
    await Promise.all([this.dataSource.destroy(), ...[reads, shortWrites, access].map((pool) => pool.end())]);
    // Last: it ends connections that would keep a pool from closing.
    this.watch.stop();
  }
}

/** Connections and transactions. */
@Global()
@Module({})
export class DatabaseModule {
  /** @param entities TypeORM entities of the process */
  static forRoot(entities: DataSourceOptions['entities']): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: DataSource,
          inject: [Config, PROCESS_NAME, LOGGER, Metrics, DatabaseWatch],
          // A factory, because the first connection must be made before others use it.
          useFactory: async (
            { databaseUrl: url, poolSize: size }: Config,
            processName: Reader,
            logger: Logger,
            metrics: Metrics,
            watch: DatabaseWatch,
          ) => {
            const options = { url, size, applicationName: `mandat ${processName}`, watch, entities };
            const dataSource = createDataSource(options, logLostConnection(logger));
            await dataSource.initialize();
            metrics.watchPool('transactions', (dataSource.driver as unknown as { master: Pool }).master);
            return dataSource;
          },
        },
        DatabaseWatch,
        IdempotencyRecords,
        LoginCheck,
        PipelinedPools,
        PoolCloser,
        SealedColumns,
        Transactions,
      ],
      exports: [DatabaseWatch, IdempotencyRecords, SealedColumns, Transactions],
    };
  }
}
