import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller';
import { DatabaseHealthIndicator, LifecycleHealthIndicator } from './health.indicators';

/** Probes and measurements. */
@Module({
  // The exception filter logs failed probes; Terminus would log them a second time.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [DatabaseHealthIndicator, LifecycleHealthIndicator],
})
export class HealthModule {}
