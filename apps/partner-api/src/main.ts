import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { SignatureDecoder } from '#adhesion';
import { loadConfig } from '#platform/ops/load-config';
import { runProcess } from '#platform/ops/run-process';
import { LOGGER } from '#platform/ops/logger';
import { JobQueue } from '#platform/jobs/job-queue';
import { AppModule } from './app.module';
import { configureApp } from './configure-app';
import { Documentation } from './documentation';

runProcess(async () => {
  const config = loadConfig(process.env, 'api');
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(config), {
    bodyParser: false,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  configureApp(app);
  await app.get(Documentation).prepare();
  await app.get(SignatureDecoder).prepare();
  app.get(JobQueue).connect();
  const { host, port, shutdownDelayMs: stopDelayMs } = config;
  return { app, logger: app.get<Logger>(LOGGER), host, port, stopDelayMs };
});
