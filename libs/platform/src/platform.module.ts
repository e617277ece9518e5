import {
  BeforeApplicationShutdown,
  DynamicModule,
  Inject,
  Injectable,
  Module,
  OnApplicationShutdown,
  OnModuleInit,
} from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Pool } from 'pg';
import { pino, Logger } from 'pino';
import { DataSource, DataSourceOptions } from 'typeorm';
import { AuditTrail } from './audit/audit-trail';
import { Chain } from './audit/chain';
import { JournalRepository } from './audit/journal.repository';
import { JournalVerification } from './audit/verification';
import { DatabaseTime } from './ops/database-time';
import { Config, type Reader } from './ops/config';
import { SecretBox } from './ops/secret-box';
import { clientConfig, createDataSource, createPipelinedPool } from './database/connections';
import { DatabaseWatch } from './database/database-watch';
import { IdempotencyRecords } from './database/idempotency-records';
import { QueueDatabase } from './jobs/queue-database';
import { assertOwnsNothing } from './database/service-login';
import { SHORT_WRITES, Transactions, type PipelinedPools } from './database/transactions';
import { FloodDelay } from './http/flood-delay';
import { HealthController } from './http/health.controller';
import { DatabaseHealthIndicator, LifecycleHealthIndicator } from './http/health.indicators';
import { Lifecycle } from './ops/lifecycle';
import { HttpMetrics, Metrics } from './ops/metrics';
import { LOGGER } from './ops/logger';
import { Outbox } from './events/outbox';
import { JobQueue } from './jobs/job-queue';
import { Clock } from './ops/clock';

const PIPELINED_POOLS = Symbol('pipelined pools');

/** Keeps a process of production from serving with a login that could leave the roles of the processes. */
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

/** Closes the connections once the last request has been answered. */
@Injectable()
class PoolCloser implements OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(PIPELINED_POOLS) private readonly pools: PipelinedPools,
    private readonly watch: DatabaseWatch,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    const pools = Object.values(this.pools);
    await Promise.all([this.dataSource.destroy(), ...pools.map((pool) => pool.end())]);
    // Last: it ends connections that would keep a pool from closing.
    this.watch.stop();
  }
}

/** Ends running jobs before the database connections close. */
@Injectable()
class QueueStopper implements BeforeApplicationShutdown {
  constructor(private readonly queue: JobQueue) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.queue.stop();
  }
}

/** Providers of every process: configuration, log, metrics, database, probes. */
@Module({})
export class PlatformModule {
  static forRoot(
    processName: Reader,
    config: Config,
    entities: DataSourceOptions['entities'],
  ): DynamicModule {
    const pool = { url: config.databaseUrl, size: config.poolSize, applicationName: `mandat ${processName}` };
    const report = (logger: Logger) => (error: Error) => {
      logger.warn({ code: (error as { code?: string }).code }, 'an idle database connection was lost');
    };
    return {
      module: PlatformModule,
      global: true,
      // The exception filter logs failed probes; Terminus would log them a second time.
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController],
      providers: [
        { provide: Config, useValue: config },
        {
          provide: LOGGER,
          useFactory: () => pino({ level: config.logLevel, base: { process: processName } }),
        },
        Clock,
        DatabaseTime,
        { provide: SecretBox, useFactory: () => new SecretBox(config.secretsKey) },
        { provide: Metrics, useFactory: () => new Metrics(`mandat-${processName}`) },
        {
          provide: HttpMetrics,
          inject: [Metrics],
          useFactory: (metrics: Metrics) => new HttpMetrics(metrics),
        },
        Lifecycle,
        FloodDelay,
        LifecycleHealthIndicator,
        DatabaseHealthIndicator,
        {
          provide: DatabaseWatch,
          inject: [LOGGER],
          useFactory: (logger: Logger) =>
            new DatabaseWatch(clientConfig(pool.url, `${pool.applicationName} watch`), logger),
        },
        {
          provide: PIPELINED_POOLS,
          inject: [LOGGER, Metrics, DatabaseWatch],
          useFactory: (logger: Logger, metrics: Metrics, watch: DatabaseWatch): PipelinedPools => {
            const make = (name: string, size: number): Pool => {
              const pipelinedPool = createPipelinedPool({ ...pool, size, watch }, report(logger));
              metrics.watchPool(name, pipelinedPool);
              return pipelinedPool;
            };
            return {
              reads: make('reads', pool.size),
              shortWrites: make('short writes', pool.size * SHORT_WRITES),
              access: make('access', pool.size),
            };
          },
        },
        {
          provide: DataSource,
          inject: [LOGGER, Metrics, DatabaseWatch],
          useFactory: async (logger: Logger, metrics: Metrics, watch: DatabaseWatch) => {
            const dataSource = createDataSource({ ...pool, watch, entities }, report(logger));
            await dataSource.initialize();
            metrics.watchPool('transactions', (dataSource.driver as unknown as { master: Pool }).master);
            return dataSource;
          },
        },
        {
          provide: Transactions,
          inject: [DataSource, PIPELINED_POOLS, DatabaseTime],
          useFactory: (dataSource: DataSource, pools: PipelinedPools, time: DatabaseTime) =>
            new Transactions(dataSource, pools, config.poolSize, time),
        },
        {
          provide: IdempotencyRecords,
          inject: [Transactions],
          useFactory: (transactions: Transactions) => new IdempotencyRecords(transactions),
        },
        {
          provide: Outbox,
          inject: [Transactions],
          useFactory: (transactions: Transactions) => new Outbox(transactions),
        },
        {
          provide: AuditTrail,
          inject: [Transactions, LOGGER],
          useFactory: (transactions: Transactions, logger: Logger) =>
            new AuditTrail(transactions, new Chain(config.secretsKey), logger),
        },
        {
          provide: JournalRepository,
          inject: [Transactions],
          useFactory: (transactions: Transactions) => new JournalRepository(transactions),
        },
        {
          provide: JournalVerification,
          inject: [Transactions],
          useFactory: (transactions: Transactions) =>
            new JournalVerification(transactions, new Chain(config.secretsKey)),
        },
        {
          provide: JobQueue,
          inject: [Transactions, LOGGER, DatabaseWatch],
          useFactory: (transactions: Transactions, logger: Logger, watch: DatabaseWatch) => {
            const isWorker = processName === 'worker';
            const options = {
              url: config.databaseUrl,
              size: isWorker ? 5 : 1,
              applicationName: 'mandat queue',
              watch,
            };
            return new JobQueue(new QueueDatabase(options, report(logger)), isWorker, transactions, logger);
          },
        },
        LoginCheck,
        QueueStopper,
        PoolCloser,
      ],
      exports: [
        Config,
        LOGGER,
        SecretBox,
        Metrics,
        HttpMetrics,
        Lifecycle,
        FloodDelay,
        AuditTrail,
        JournalRepository,
        JournalVerification,
        Clock,
        DatabaseTime,
        IdempotencyRecords,
        JobQueue,
        Outbox,
        Transactions,
      ],
    };
  }
}
