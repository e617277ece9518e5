import { SERVICE } from '../errors/platform.errors';
import { Controller, Get, Header, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorFunction,
  HealthIndicatorService,
} from '@nestjs/terminus';
import type { Response } from 'express';
import { intend } from './intended';
import { Probe } from './public.decorator';
import { DomainError } from '../errors/domain-error';
import { Maintenance } from '../database/maintenance';
import { RecurringWork } from '../jobs/recurring-work';
import { Lifecycle } from '../ops/lifecycle';
import { Metrics } from '../ops/metrics';
import { fr } from '../errors/text';

/** Maximum time that a probe waits for the database, in milliseconds. */
export const DATABASE_TIMEOUT_MS = 1_500;

interface Health {
  statut: 'ok';
}

/** Probes for Kubernetes and measurements for Prometheus (docs/contract.md, "Surfaces"). */
@ApiExcludeController()
@Probe()
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly maintenance: Maintenance,
    private readonly lifecycle: Lifecycle,
    private readonly recurring: RecurringWork,
    private readonly metrics: Metrics,
  ) {}

  /** The process runs. The database is not checked, because a restart would not repair it. */
  @Get('health/live')
  live(): Health {
    return { statut: 'ok' };
  }

  /** The process can serve: the database responds, no stop has begun, and its repeated work succeeds. */
  @Get('health/ready')
  ready(@Res({ passthrough: true }) response: Response): Promise<Health> {
    // A stop is no failure.
    if (this.lifecycle.isStopping) intend(response);
    return this.check([this.takesWork, this.databaseResponds, this.repeatedWorkSucceeds]);
  }

  /** The process has started: the database responds. */
  @Get('health/startup')
  startup(): Promise<Health> {
    return this.check([this.databaseResponds]);
  }

  @Get('metrics')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  scrape(): Promise<string> {
    return this.metrics.text();
  }

  private readonly takesWork: HealthIndicatorFunction = () => {
    const indicator = this.indicators.check('lifecycle');
    return this.lifecycle.isStopping ? indicator.down() : indicator.up();
  };

  private readonly databaseResponds: HealthIndicatorFunction = () =>
    this.indicators.check('database').attempt(() => this.maintenance.ping(DATABASE_TIMEOUT_MS));

  private readonly repeatedWorkSucceeds: HealthIndicatorFunction = () => {
    const indicator = this.indicators.check('recurring work');
    return this.recurring.failing.length > 0 ? indicator.down() : indicator.up();
  };

  /** @throws DomainError `Service.Indisponible` for the first indicator that is down */
  private async check(indicators: HealthIndicatorFunction[]): Promise<Health> {
    try {
      await this.health.check(indicators);
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const { error: down = {} } = error.getResponse() as HealthCheckResult;
      if (down['lifecycle'])
        throw new DomainError(SERVICE.Indisponible, {
          en: 'The process is stopping.',
          fr: fr("Le processus s'arrête."),
        });
      if (down['database']) {
        const detail = {
          en: 'The database does not answer.',
          fr: fr('La base de données ne répond pas.'),
        };
        throw new DomainError(SERVICE.Indisponible, detail, { retryAfterSeconds: 1 });
      }
      if (down['recurring work']) {
        const detail = {
          en: `Work of this process fails each time: ${this.recurring.failing.join(', ')}.`,
          fr: fr`Un travail de ce processus échoue chaque fois : ${this.recurring.failing.join(', ')}.`,
        };
        throw new DomainError(SERVICE.Indisponible, detail);
      }
      // Terminus fails each check while the application closes. Only the indicators decide here.
    }
    return { statut: 'ok' };
  }
}
