import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { loadConfig } from '#shared/config/config';
import { configureHttp } from '#shared/http/configure-http';
import { runProcess } from '#shared/http/run-process';
import { LOGGER } from '#shared/logging/logger';
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
