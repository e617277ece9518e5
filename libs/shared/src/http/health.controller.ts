import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../access/requires.decorator';
import { Transactions } from '../database/transactions';
import { DomainError } from '../errors/domain-error';
import { Lifecycle } from './lifecycle';
import { Metrics } from './metrics';

/** How long a probe waits for the database. */
export const DATABASE_TIMEOUT_MS = 1_500;

interface Health {
  statut: 'ok';
}

/** Probes for Kubernetes and measurements for Prometheus (decisions, section 1). */
@ApiExcludeController()
@Public()
@Controller()
export class HealthController {
  constructor(
    private readonly transactions: Transactions,
    private readonly lifecycle: Lifecycle,
    private readonly metrics: Metrics,
  ) {}

  /** The process runs. It says nothing of the database: a restart would not mend that. */
  @Get('health/live')
  live(): Health {
    return { statut: 'ok' };
  }

  /** The process can serve: the database answers and no stop has begun. */
  @Get('health/ready')
  async ready(): Promise<Health> {
    if (this.lifecycle.isStopping) throw new DomainError('Service.Indisponible', 'The process is stopping.');
    await this.databaseAnswers();
    return { statut: 'ok' };
  }

  /** The process has started: the same as ready, for a probe with more patience. */
  @Get('health/startup')
  async startup(): Promise<Health> {
    await this.databaseAnswers();
    return { statut: 'ok' };
  }

  @Get('metrics')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  async scrape(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.setHeader('Cache-Control', 'no-store');
    return this.metrics.text();
  }

  private async databaseAnswers(): Promise<void> {
    try {
      await this.transactions.ping(DATABASE_TIMEOUT_MS);
    } catch {
      throw new DomainError('Service.Indisponible', 'The database does not answer.', {
        retryAfterSeconds: 1,
      });
    }
  }
}
