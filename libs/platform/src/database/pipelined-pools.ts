import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Config } from '../ops/config';
import { LOGGER } from '../ops/logger';
import { Metrics } from '../ops/metrics';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { createPipelinedPool, logLostConnection } from './connections';
import { DatabaseWatch } from './database-watch';

/** Connections of short transactions for each of longer ones: they wait for little but the disk, and do so together. */
export const SHORT_WRITES = 2;

/**
 * Pools of connections for transactions of one round trip. `access` is for keys, limits and probes, which must not wait for
 * the work of tenants.
 */
@Injectable()
export class PipelinedPools {
  readonly reads: Pool;
  readonly shortWrites: Pool;
  readonly access: Pool;

  constructor(
    { databaseUrl: url, poolSize }: Config,
    @Inject(PROCESS_NAME) processName: Reader,
    @Inject(LOGGER) logger: Logger,
    metrics: Metrics,
    watch: DatabaseWatch,
  ) {
    const make = (name: string, size: number): Pool => {
      const options = { url, size, applicationName: `mandat ${processName}`, watch };
      const pool = createPipelinedPool(options, logLostConnection(logger));
      metrics.watchPool(name, pool);
      return pool;
    };
    this.reads = make('reads', poolSize);
    this.shortWrites = make('short writes', poolSize * SHORT_WRITES);
    this.access = make('access', poolSize);
  }
}
