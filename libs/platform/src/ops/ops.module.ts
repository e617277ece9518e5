import { type DynamicModule, Global, Module } from '@nestjs/common';
import { pino } from 'pino';
import { Clock } from './clock';
import { Config } from './config';
import { Lifecycle } from './lifecycle';
import { LOGGER } from './logger';
import { HttpMetrics, Metrics } from './metrics';
import { PROCESS_NAME, type Reader } from './process-name';
import { KeyRing } from './key-ring';
import { SecretBox } from './secret-box';

/** Configuration, log, measurements and clock of the process. */
@Global()
@Module({})
export class OpsModule {
  static forRoot(processName: Reader, config: Config): DynamicModule {
    const values = [
      { provide: Config, useValue: config },
      { provide: PROCESS_NAME, useValue: processName },
      { provide: KeyRing, useValue: config.secretsKey },
      { provide: LOGGER, useValue: pino({ level: config.logLevel, base: { process: processName } }) },
    ];
    const providers = [...values, Clock, HttpMetrics, Lifecycle, Metrics, SecretBox];
    return { module: OpsModule, providers, exports: providers };
  }
}
