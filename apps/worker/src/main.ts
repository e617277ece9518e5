import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { loadConfig } from '#platform/ops/load-config';
import { configureHttp } from '#platform/http/configure-http';
import { runProcess } from '#platform/ops/run-process';
import { LOGGER } from '#platform/ops/logger';
import { WorkerModule } from './worker.module';

runProcess(async () => {
  const config = loadConfig(process.env, 'worker');
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.forRoot(config), {
    bodyParser: false,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  configureHttp(app);
  const { host, workerPort: port } = config;
  return { app, logger: app.get<Logger>(LOGGER), host, port, stopDelayMs: 0 };
});
