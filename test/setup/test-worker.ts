import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { ClockService } from '../../apps/worker/src/clock.service';
import { WorkerModule } from '../../apps/worker/src/worker.module';
import type { Config } from '../../libs/platform/src/ops/config';
import { Clock } from '../../libs/platform/src/ops/clock';
import { Sender } from '../../libs/webhooks/src/application/sender';
import { withServiceLogin } from './service-login';

/** Options of a worker. */
export interface WorkerOptions {
  /** The clock for attempts and schedules. */
  clock?: Clock;
  /** Timeout of an attempt in ms; the default is 15 s. */
  timeoutMs?: number;
  /** Pause between two rounds of the campaign clock; 1 s if absent. */
  roundMs?: number;
}

/** The real worker, in this process, on the database of a configuration. */
export async function startWorker(config: Config, options: WorkerOptions = {}): Promise<INestApplication> {
  const worker = await NestFactory.create(WorkerModule.forRoot(withServiceLogin(config)), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  const { clock, timeoutMs, roundMs } = options;
  if (clock) worker.get(Clock).now = () => clock.now();
  if (timeoutMs !== undefined) Object.assign(worker.get(Sender), { timeoutMs });
  if (roundMs !== undefined) worker.get(ClockService).intervalMs = roundMs;
  await worker.init();
  return worker;
}
