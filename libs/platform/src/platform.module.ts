import { type DynamicModule, Module } from '@nestjs/common';
import { AuditModule } from './audit/audit.module';
import { DatabaseModule } from './database/database.module';
import { EventsModule } from './events/events.module';
import { HealthModule } from './http/health.module';
import { ProblemModule } from './http/problem.module';
import { JobsModule } from './jobs/jobs.module';
import { LimitsModule } from './limits/limits.module';
import type { Config } from './ops/config';
import { OpsModule } from './ops/ops.module';
import type { Reader } from './ops/process-name';

/** The modules of every process. */
@Module({ imports: [LimitsModule, JobsModule, EventsModule, AuditModule, ProblemModule, HealthModule] })
export class PlatformModule {
  /** @param databases provides the port `Databases` to all modules */
  static forRoot(processName: Reader, config: Config, databases: DynamicModule): DynamicModule {
    return {
      module: PlatformModule,
      imports: [OpsModule.forRoot(processName, config), databases, DatabaseModule],
    };
  }
}
